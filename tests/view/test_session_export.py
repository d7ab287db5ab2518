"""A session written to a file: the JSON and its schema, names of files, the command in the session and outside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from session.sessions import INDEX, Session, answer_all, recorded, trace
from timeline.generator import starved
from tui import factory

from advisor.cli.json_schema import schema
from advisor.cli.main import main
from advisor.practice.lessons import Lessons
from advisor.practice.manifest import exercise
from advisor.practice.state import Store
from advisor.records.errors import UsageError
from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.export.export import place_for, text_of, write
from advisor.session.language.understand import understand
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.session.transcripts.autosave import Saving
from advisor.session.transcripts.format import Scrubber
from tests.changed import replace
from tests.view.pages import sound

ROOT = Path(__file__).parents[2]


def part(name: str, items: str) -> jsonschema.Draft202012Validator:
    """What checks one item of a list of another document."""
    whole = schema(name)
    of = {"$defs": whole.get("$defs", {}), "allOf": [whole["properties"][items]["items"]]}
    return jsonschema.Draft202012Validator(of)


def document(state: State) -> Any:
    """The session's JSON, after it was checked: as a whole, and in the parts that other schemas describe."""
    made = json.loads(text_of(state, "json", Scrubber()))
    jsonschema.validate(made, schema("session"))
    for kernel in made["kernels"]:
        for launch in [kernel.get("launch"), *(one["launch"] for one in kernel["earlier"])]:
            if launch is not None:
                part("diagnosis", "launches").validate(launch)
        for pair in kernel["comparisons"]:
            part("compare", "pairs").validate(pair["pair"])
    for info in made["reports"]:
        part("diagnosis", "reports").validate(info)
    if "timeline" in made:
        jsonschema.validate(made["timeline"], schema("timeline"))
    return made


def saved(tmp_path: Path) -> Session:
    """A session whose files are written, on the factory's data."""
    made = factory.diagnosis(factory.launch(1, "transpose_tile"))
    live = factory.sources(analyse=lambda *_: factory.Analysis(made))
    session = Session(Executor(Saving(place=tmp_path / "kept").sources(replace(live, write=write))))
    session.do(e.Began((str(tmp_path / "tour.ncu-rep.xz"),)), e.Expected("memory"), e.Skipped("algorithm"))
    return session


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema("session"))


def test_a_real_session_fits_and_tells_what_was_compared() -> None:
    path = recorded("bank-conflicts")
    session = Session()
    session.do(e.Began((path,)), e.LaunchSelected(0), e.Expected("memory"), e.Skipped("algorithm"))
    session.do(e.HowAsked(), e.ExplainAsked("bank conflicts"), e.ReportGiven(f"{path}#1", "one column more"))
    made = document(session.state)
    (kernel,) = made["kernels"]
    assert kernel["expected"] == "memory" and kernel["version"] == "v2" and len(kernel["earlier"]) == 1
    (pair,) = kernel["comparisons"]
    assert (pair["before"], pair["after"], pair["change"]) == ("v1", "v2", "one column more")
    assert [row["version"] for row in kernel["experiments"]] == ["v1", "v2"]
    assert kernel["experiments"][1]["ratio"] == pytest.approx(pair["pair"]["speedup"])
    assert "guide.step3.bank" in made["sources"] and made["reports"][0]["path"].startswith("kernels:bank-conflicts/")
    assert {"proof", "compared"} <= {turn["kind"] for turn in kernel["conversation"]}
    assert any(turn["past"] for turn in kernel["conversation"])


def test_a_session_before_any_conclusion_an_interview_and_a_trace_fit(tmp_path: Path) -> None:
    begun = Session(factory.desk())
    begun.do(e.Began(("tour.ncu-rep.xz",)), e.LaunchSelected(1))
    (kernel,) = document(begun.state)["kernels"]
    assert "launch" not in kernel and "summary" not in kernel
    assert document(State())["kernels"] == []
    asked = Session(Executor(sources()))
    asked.do(e.Began())
    told = document(answer_all(asked, {"gpu": "H200-SXM", "duration_ns": 3e5, "dram_pct": 91.0}, most=12))
    assert told["typed"]
    assert {"question": "dram_pct", "value": 91} in told["kernels"][0]["answers"]
    traced = Session()
    traced.do(e.Began(traces=(trace(starved(), tmp_path),)))
    assert document(traced.state)["timeline"]["gpus"]


def practised(tmp_path: Path) -> State:
    """Nothing but practice: a prediction that was scored, one that was not, and an exercise that was only opened."""
    room = Lessons(Store(tmp_path / "practice"))
    live = factory.sources(practise=lambda r, tell: room.perform(r.action, r.exercise, dict(r.arguments), tell))
    session = Session(Executor(live))
    for name, reveals in (("bank-conflicts", True), ("good-copy", False)):
        session.do(e.ViewShown("practice", name))
        for action, key, value in (
            ("class", "id", "mixed_memory_bound"),
            ("cause", "id", "bank_conflicts"),
            ("gain", "gain", "2.4"),
            ("hint", "", ""),
            *((("reveal", "", ""),) if reveals else ()),
        ):
            session.do(e.Practised(action, name, ((key, value),) if key else ()))
    return session.do(e.ViewShown("practice", "column-walk"), e.ViewShown("practice"))


def test_the_exercises_of_a_session_are_told_in_every_form(tmp_path: Path) -> None:
    state = practised(tmp_path)
    scored, waits, opened = document(state)["practice"]
    assert (scored["name"], scored["title"]) == ("bank-conflicts", exercise("bank-conflicts").title)
    assert scored["hints"]["taken"] == 1 and scored["state"] == "started"
    (made,) = scored["predictions"]
    assert (made["class"], made["cause"], made["speedup"], made["points"]) == (
        "mixed_memory_bound",
        "bank_conflicts",
        2.4,
        98,
    )
    assert made["actual_speedup"] == pytest.approx(2.2, rel=0.1)
    assert not {"points", "actual_class", "actual_cause", "actual_speedup"} & set(waits["predictions"][0])
    assert opened["name"] == "column-walk" and opened["predictions"] == []
    text, html = text_of(state, "markdown", Scrubber()), text_of(state, "html", Scrubber())
    sound(html)
    for form in (text.replace("\\", ""), html):
        assert exercise("bank-conflicts").title in form and "98 of 100 points for the prediction of tile" in form
        assert "Shared-memory bank conflicts, 2.4×" in form and "not shown yet" in form and "nothing yet" in form
    assert "near_memory_roofline" not in text and "Near the memory roofline" not in html, "what was not shown"


def test_a_session_of_practice_alone_can_be_exported_and_not_saved(tmp_path: Path) -> None:
    state = practised(tmp_path)
    assert reduce(state, e.WriteAsked("markdown", "")).waiting == (e.Write("markdown", ""),)
    assert reduce(state, e.WriteAsked("transcript", "")) is state
    assert document(State())["practice"] == []
    assert reduce(State(), e.WriteAsked("markdown", "")) == State()


@pytest.mark.parametrize(
    "breaks",
    [
        lambda made: made.pop("practice"),
        lambda made: made["practice"].append({"name": "bank-conflicts"}),
        lambda made: made.pop("kernels"),
        lambda made: made.update(schema="ncu-advisor/session/2"),
        lambda made: made["kernels"][0]["conversation"][0].pop("past"),
        lambda made: made["kernels"][0]["conversation"][0]["lines"].append({"text": "x", "style": "red", "depth": 0}),
        lambda made: made.update(host="somewhere"),
    ],
)
def test_other_documents_do_not_fit(breaks: Any) -> None:
    session = Session(factory.desk())
    session.do(e.Began(("tour.ncu-rep.xz",)), e.LaunchSelected(1))
    made = document(session.state)
    breaks(made)
    assert not jsonschema.Draft202012Validator(schema("session")).is_valid(made)


# Files


@pytest.mark.parametrize(("what", "ending"), [("markdown", "md"), ("html", "html"), ("json", "json")])
def test_export_in_the_session_writes_the_file_that_was_named(tmp_path: Path, what: str, ending: str) -> None:
    session = saved(tmp_path)
    event = understand(f"/export {ending} {tmp_path / 'out'}", session.state)
    assert event == e.WriteAsked(what, str(tmp_path / "out"))
    session.do(event)
    place = tmp_path / f"out.{ending}"
    assert session.last.kind == "note" and session.texts()[0] == str(place)
    text = place.read_text(encoding="utf-8")
    assert "transpose_tile" in text.replace("\\", "") and "L1/shared-memory-bound" in text
    if what == "html":
        sound(text)
    assert list(tmp_path.glob("*")) == [place]


def test_a_name_that_nobody_chose_gets_a_number_and_a_chosen_one_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = saved(tmp_path)
    for _ in range(3):
        session.do(understand("/export md", session.state))
    assert sorted(p.name for p in tmp_path.glob("*.md")) == [
        "tour-session-2.md",
        "tour-session-3.md",
        "tour-session.md",
    ]
    mine = tmp_path / "mine.html"
    mine.write_text("old", encoding="utf-8")
    session.do(e.WriteAsked("html", str(mine)))
    assert mine.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert place_for(str(tmp_path), "x.md", "markdown") == tmp_path  # writing says that it is a folder


def test_what_cannot_be_written_is_one_line_and_the_session_goes_on(tmp_path: Path) -> None:
    session = saved(tmp_path)
    report = tmp_path / "tour.ncu-rep.xz"
    report.write_bytes(b"the report itself")
    for path in (str(tmp_path), str(tmp_path / "no" / "such" / "x.md"), str(report), "x\0y"):
        session.do(e.WriteAsked("markdown", path))
        assert session.last.kind == "error" and "\n" not in session.last.title, path
    assert report.read_bytes() == b"the report itself"
    with pytest.raises(UsageError, match="cannot be a file"):
        place_for("a\0b", "x.md", "markdown")


# replay --export


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(args))
    return int(caught.value.code or 0)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved session on a bundled report."""
    folder = tmp_path_factory.mktemp("kept")
    session = Session(Executor(Saving(place=folder / "kept").sources(replace(sources(), knowledge=INDEX))))
    session.do(e.Began((recorded("bank-conflicts"),)), e.LaunchSelected(0), e.Expected("memory"))
    session.do(e.Skipped("algorithm"), e.HowAsked(), e.WriteAsked("transcript", str(folder / "mine.jsonl")))
    return folder / "mine.jsonl"


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_a_saved_session_becomes_a_page(
    kept: Path, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"page.{form}"
    assert run("replay", str(kept), "--export", form, "--out", str(out)) == 0
    text = out.read_text(encoding="utf-8")
    assert "Shared-memory bank conflicts" in text and "kernels:bank-conflicts" in text.replace("\\", "")
    if form == "html":
        sound(text)
    elif form == "json":
        jsonschema.validate(json.loads(text), schema("session"))
    assert capsys.readouterr().out == ""
    assert run("replay", str(kept), "--export", form) == 0
    assert capsys.readouterr().out == text


def test_wrong_use_of_export_is_one_line_and_exit_2(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept.read_bytes()
    other = tmp_path / "other.jsonl"
    other.write_text("{}\n", encoding="utf-8")
    for args in (
        ["--export", "md"],
        [str(kept), str(kept), "--export", "md"],
        [str(kept), "--export", "md", "--check"],
        [str(kept), "--export", "pdf"],
        [str(kept), "--export", "md", "--out", str(kept)],
        [str(other), "--export", "md"],
        [str(tmp_path / "none.jsonl"), "--export", "md"],
        ["--record", "x.yaml", "--export", "md"],
        [str(kept), "--out", "x"],
    ):
        assert run("replay", *args) == 2, args
        captured = capsys.readouterr()
        assert captured.out == "" and "Traceback" not in captured.err and captured.err.strip(), args
    assert kept.read_bytes() == before
