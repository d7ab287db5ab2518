"""A session as a page: what is told and in which order, what is not told yet, and text that is shown, never obeyed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from session.sessions import Session, answer_all, recorded, trace
from timeline.generator import starved
from tui import factory

from advisor.records.diagnosis import LaunchGpu
from advisor.session import events as e
from advisor.session.export.export import text_of
from advisor.session.state import State
from advisor.session.transcripts.format import Scrubber
from tests.changed import replace
from tests.view.pages import HOSTILE, sound
from tests.view.test_pages_markdown import outside_code

NOBODY = Scrubber()


def page(state: State) -> Any:
    return sound(text_of(state, "html", NOBODY))


def markdown(state: State) -> str:
    return text_of(state, "markdown", NOBODY)


def headings(text: str) -> list[str]:
    return re.findall(r"^## (.*)$", text, re.MULTILINE)


def on(*launches: Any) -> Session:
    """A session on these launches of the factory, on the first of them."""
    made = factory.diagnosis(*launches)
    session = Session(factory.desk(analyse=lambda *_: factory.Analysis(made)))
    session.do(e.Began(("tour.ncu-rep.xz",)))
    if len(made.launches) > 1:
        session.do(e.LaunchSelected(0))
    return session


def revealed() -> Session:
    session = on(factory.launch(1, "transpose_tile"))
    session.do(e.Expected("memory"), e.Skipped("algorithm"))
    return session


@pytest.fixture(scope="module")
def ladder() -> State:
    """A real session: three versions of a matrix product, with proofs asked for before and after."""
    path = recorded("gemm-ladder")
    session = Session()
    session.do(e.Began((path,)), e.LaunchSelected(0), e.Expected("compute"))
    session.do(e.Skipped(session.state.ask.id), e.HowAsked(), e.WhyNotAsked("tail_effect"))
    session.do(e.ReportGiven(f"{path}#1", "neighbouring threads take neighbouring columns"))
    session.do(e.ReportGiven(f"{path}#2", "tiles in shared memory"))
    return session.do(e.HowAsked(), e.LogShown())


def test_nothing_is_concluded_on_the_page_before_it_was_shown_in_the_session() -> None:
    session = on(factory.launch(1, "transpose_tile"))
    text = markdown(session.state)
    assert "transpose\\_tile" in text and "No conclusion was shown in this session." in text
    assert "bank" not in text and "congestion" not in text and headings(text) == ["Conversation"]
    assert "L1/shared-memory-bound" not in text_of(session.state, "json", NOBODY)


def test_the_summary_is_class_what_to_fix_first_and_what_it_gave() -> None:
    lines = markdown(revealed().state).splitlines()
    assert lines[0] == "# transpose\\_tile · launch 1 on H200-SXM: a session"
    assert lines[2].startswith("- **Class:** L1/shared-memory-bound: memory runs at 96 %")
    assert lines[3] == "- **Fix first:** Shared-memory bank conflicts, estimated speedup 2.2× (1.9–2.6×)"
    assert lines[4].startswith("- **Measured:** not measured")


def test_evidence_has_value_unit_threshold_margin_and_source_and_the_source_stands_in_words_at_the_end() -> None:
    text = markdown(revealed().state)
    assert "| Conclusion | Observation | Value and test | Source |" in text
    row = next(line for line in text.splitlines() if "l1\\_wavefronts\\_pct" in line and line.startswith("|"))
    assert re.search(r"= 96.1 %, test \\> 60, margin \+60 % \| `guide.step3` \|$", row)
    # The margin of a test that fails is negative: compute is far from busy.
    assert re.search(r"compute\\_pct = 12.4 %, test \\> 60, margin -79 % \|", text)
    assert headings(text)[-1] == "Sources" and text.rstrip().endswith("- `guide.step3`: The guide: step 3")


def test_the_conversation_has_question_answer_and_the_reasons_that_were_asked_for() -> None:
    session = revealed()
    session.do(e.HowAsked(), e.WhyNotAsked("tail_effect"), e.NotUnderstood("gibberish", ("/help",)))
    session.do(e.Asked("theoretical_bytes"), e.Answered("theoretical_bytes", None))
    text = markdown(session.state)
    talk = text[text.index("## Conversation") :]
    assert talk.index("what do you expect to limit") < talk.index("**You:** Memory") < talk.index("**Class:**")
    assert "**How:** Shared-memory bank conflicts" in talk and "✓ The L1 data stage is busy" in talk
    assert "**Why not:** Tail effect" in talk and "✗ The grid is few waves" in talk and "gibberish" in talk
    assert "**You:** I don't know" in talk
    assert "- **Answered with I don't know:** How many bytes must the algorithm move at least?" in text
    assert "- **Not asked:** Which data type does the kernel compute in?" in text
    text = page(session.state).text
    assert "✗ The grid is few waves" in text and "Skipped" not in text


def test_the_code_of_a_fix_is_shown_once_and_as_code() -> None:
    session = Session()
    session.do(e.Began((recorded("gemm-ladder"),)), e.LaunchSelected(0), e.FixShown())
    text = markdown(session.state)
    change = [line for line in text.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert change and len(change) == len(set(change)) and text.count("```diff") == 1
    assert "The code of this example is shown above." in text
    assert not [line for line in outside_code(text).splitlines() if line.startswith(("- \\-", "- \\+"))]


def test_what_the_report_lacks_stands_with_the_command_that_collects_it() -> None:
    text = markdown(revealed().state)
    unknown = text[text.index("## Unknown") :]
    assert "| idc\\_requests | " in unknown and "```sh\nncu --section MemoryWorkloadAnalysis\n```" in unknown
    bare = on(factory.launch(1, "k", missing=(), questions=()))
    bare.do(e.Expected(None), e.Skipped("algorithm"))
    assert "Every metric that a rule needs is known." in markdown(bare.state)


def test_the_napkin_and_what_was_expected_stand_beside_what_came() -> None:
    session = on(factory.launch(1, "transpose_tile"))
    session.do(e.Expected("compute"), e.Answered("algorithm", "transpose"))
    session.do(e.Answered("rows", 8192.0), e.Answered("dtype", "f32"))
    text = markdown(session.state)
    part = text[text.index("## Prediction and result") :].split("\n## ")[0]
    assert "**Napkin:** transpose of 8192 rows" in part and "**Floor:** 1.79 ms" in part
    assert "Your prediction: compute" in part and "L1/shared-memory-bound" in part


def test_the_versions_are_told_first_then_each_before_and_after(ladder: State) -> None:
    text = markdown(ladder)
    assert text.startswith("# gemm on H200-SXM: a session\n")
    told = headings(text)
    assert told[0] == "Versions" and told[1].startswith("v1 → v2: neighbouring threads")
    assert told[2] == "v2 → v3: tiles in shared memory" and told[3] == "Conclusions (v3)"
    assert re.search(r"^\| v2 \| neighbouring threads take neighbouring columns \| [\d.]+ ms \| \d+× \|", text, re.M)
    gave = re.search(r"\*\*Measured:\*\* ([\d.]+) ms in v1, ([\d.]+) ms in v3: (\d+)×", text)
    assert gave is not None and abs(float(gave[1]) / float(gave[2]) - float(gave[3])) < 1
    assert "at first; in v3:" in text and "### Evidence (v1)" in text and "### Evidence (v2)" in text
    assert text.count("All entries are about an earlier version") == 1


def test_the_roofline_has_a_mark_for_each_version_and_markdown_has_it_in_text(ladder: State) -> None:
    text = text_of(ladder, "html", NOBODY)
    sound(text)
    marks = re.findall(r'<path class="mark [^"]*"[^>]*><title>(v\d): launch', text)
    assert marks == ["v1", "v2", "v3"]
    hollow = re.findall(r'<path class="mark \w+ hollow"[^>]*><title>(v\d)', text)
    assert hollow == ["v1", "v2"] and text.count('<line class="step"') == 2
    told = markdown(ladder)
    part = told[told.index("## Roofline") :].split("\n## ")[0]
    assert "1 v1: " in part and "2 v2: " in part and "@ this launch" in part and "\n```\n" in part
    assert [row.split("|")[1].strip() for row in re.findall(r"^\| [vV].*$", part, re.M)] == [
        "Version",
        "v1",
        "v2",
        "v3",
    ]


def test_a_kernel_without_floating_point_work_is_told_to_have_no_place_on_the_roofline() -> None:
    path = recorded("bank-conflicts")
    session = Session()
    session.do(e.Began((path,)), e.LaunchSelected(0), e.Expected(None), e.Skipped("algorithm"))
    session.do(e.FixShown(), e.ReportGiven(f"{path}#1"))
    text = markdown(session.state)
    assert "The kernel does no floating-point work" in text and "Pad or swizzle the shared array" in text
    assert "estimated 2." in text and "as estimated, and the finding is gone" in text
    page(session.state)


def test_several_kernels_have_a_table_and_a_part_each_and_those_of_a_former_report_no_conclusion() -> None:
    session = on()
    for place in (1, 4):
        session.do(e.LaunchSelected(place), e.Expected(None, again=False))
        if session.state.ask is not None:
            session.do(e.Skipped(session.state.ask.id))
    got = page(session.state)
    assert {"kernel-0", "kernel-1", "kernel-4"} <= set(got.ids) and "transpose_tile" in got.text
    assert headings(markdown(session.state))[0] == "Kernels"
    other = factory.diagnosis(*(factory.launch(n, f"other_{n}") for n in range(6)))
    text = markdown(replace(session.state, diagnosis=other))
    assert "other\\_" not in text and "byte\\_image" in text


def test_an_interview_tells_what_was_typed() -> None:
    session = Session(factory.desk())
    session.do(e.Began())
    state = answer_all(session, {"dram_pct": 91.0, "l2_pct": 40.0})
    text = markdown(state)
    assert "all numbers were typed" in text and "**You:** 91.0 %" in text and "DRAM-bound" in text
    page(state)
    assert page(Session(factory.desk()).state).text


def test_a_session_about_a_trace_alone_has_its_timeline(tmp_path: Path) -> None:
    session = Session()
    session.do(e.Began(traces=(trace(starved(), tmp_path),)))
    assert session.state.timeline is not None
    got = page(session.state)
    assert "Kernels by time" in got.text and "planted.sqlite" in got.text
    assert "timeline-gpu-0" in got.ids and "Kernels by time" in markdown(session.state)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_names_and_typed_text_are_shown_and_never_obeyed(name: str) -> None:
    bad = factory.launch(1, name, gpu=LaunchGpu(name, "9.0", ""), kernel_full=name)
    session = on(bad)
    session.do(e.Expected(None), e.Skipped("algorithm"), e.HowAsked(), e.NotUnderstood(name, (name,), name))
    state = session.state
    got = page(state)
    beginning = re.split(r"[^ -~]|`", name)[0][:40]
    assert beginning in got.text
    text = markdown(state)
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    assert not {"link_open", "image", "em_open", "s_open"} & {child.type for child in inline}
    assert "html_block" not in {token.type for token in tokens}
    for table in re.findall(r"(?:^\|.*\n)+", outside_code(text), re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in table.splitlines()}) == 1


@pytest.mark.parametrize("what", ["markdown", "html", "json"])
def test_home_user_and_host_are_not_told(what: str) -> None:
    clean = Scrubber(Path("/home/marple"), ["marple"], ["stmarymead"])
    bad = factory.launch(1, "kernel_of_marple")
    session = on(bad)
    session.do(e.Expected(None), e.Skipped("algorithm"))
    session.do(e.NotUnderstood("/home/marple/secret on stmarymead by marple"))
    infos = (replace(session.state.diagnosis.reports[0], path="/home/marple/work/tour.ncu-rep"),)
    state = replace(session.state, diagnosis=replace(session.state.diagnosis, reports=infos))
    text = text_of(state, what, clean)
    assert "/home/marple" not in text and "stmarymead" not in text and " marple" not in text
    assert "work/tour.ncu-rep" in text.replace("\\", "")
    # Part of another word, it tells nothing.
    assert "kernel_of_marple" in text.replace("\\", "")


def test_the_same_session_gives_the_same_bytes(ladder: State) -> None:
    for what in ("markdown", "html", "json"):
        assert text_of(ladder, what, NOBODY) == text_of(ladder, what, NOBODY)
