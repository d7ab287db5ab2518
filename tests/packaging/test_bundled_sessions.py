"""The sessions that come with the program: every step of the method, each from a script, and a page that lists them."""

from __future__ import annotations

from advisor.records import resources
from tests.bench.transcripts_table import FOLDER, all_steps, header, page, steps_of


def test_every_step_of_the_method_is_reached_by_some_session():
    reached = {step for path in FOLDER.glob("*.jsonl") for step in steps_of(path)}
    assert set(all_steps()) <= reached


def test_there_are_enough_sessions_each_with_its_script():
    names = {path.stem for path in FOLDER.glob("*.jsonl")}
    assert len(names) >= 18
    assert names == {path.stem for path in (FOLDER / "scripts").glob("*.yaml")}


def test_each_says_what_it_is_and_cites_its_source():
    for path in FOLDER.glob("*.jsonl"):
        head = header(path)
        assert head["title"] and head["description"] and head["cites"], path.name


def test_the_page_of_bundled_sessions_is_up_to_date():
    assert (resources.folder("transcripts") / "README.md").read_text(encoding="utf-8") == page()
