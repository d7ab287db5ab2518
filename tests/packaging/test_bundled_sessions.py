"""The sessions that come with the program: every step of the method, each from a script, and a page that lists them."""

from __future__ import annotations

from itertools import pairwise

from advisor.records import resources
from advisor.session.transcripts.player import Player
from tests.bench.transcripts_table import FOLDER, all_steps, header, page, steps_of


def test_every_step_of_the_method_is_reached_by_some_session():
    reached = {step for path in FOLDER.glob("*.jsonl") for step in steps_of(path)}
    assert set(all_steps()) <= reached


def test_there_are_enough_sessions_each_with_its_script():
    names = {path.stem for path in FOLDER.glob("*.jsonl")}
    assert len(names) >= 26
    assert names == {path.stem for path in (FOLDER / "scripts").glob("*.yaml")}


def test_sessions_are_short_and_a_run_of_unknown_answers_is_one_step():
    long = []
    for path in FOLDER.glob("*.jsonl"):
        player = Player.load(path)
        words = [step.words for step in player.steps]
        long += [path.stem] if len(words) > 40 else []
        assert not any(a.endswith("don't know") and b.endswith("don't know") for a, b in pairwise(words)), path.name
    assert len(long) <= 1


def test_a_baseline_is_not_compared_with_the_version_before_it():
    player = Player.load(FOLDER / "p3-motion-blur.jsonl")
    rows = player.state(len(player)).experiments
    assert [row.baseline for row in rows] == [False, True, False, False]
    assert [row.ratio is None for row in rows] == [True, True, False, False]
    assert not any(card.kind == "compared" and card.finding == "v2" for card in player.state(len(player)).cards)


def test_each_says_what_it_is_and_cites_its_source():
    for path in FOLDER.glob("*.jsonl"):
        head = header(path)
        assert head["title"] and head["description"] and head["cites"], path.name


def test_the_page_of_bundled_sessions_is_up_to_date():
    assert (resources.folder("transcripts") / "README.md").read_text(encoding="utf-8") == page()
