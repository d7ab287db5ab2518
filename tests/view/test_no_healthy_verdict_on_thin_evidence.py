"""No face says that a launch is done, or has nothing to fix, at low confidence or without what shows waste."""

from __future__ import annotations

import msgspec
import pytest

from advisor.compare.compare import runs_of
from advisor.compare.outlook import _ahead
from advisor.reasoning.diagnose import analyse
from advisor.records import resources
from advisor.records.diagnosis import Missing, is_settled
from advisor.session.cards import finding_card
from advisor.session.export.document import _first
from advisor.session.method.kernel import _advice
from advisor.view.pages.launch import label_text, launch_blocks, next_text


@pytest.fixture(scope="module")
def done():
    """A recorded launch that runs at the memory roofline, with medium confidence."""
    path = resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
    launch = analyse([path]).diagnosis.launches[0]
    assert launch.findings[0].id == "near_memory_roofline" and is_settled(launch, launch.findings[0])
    return launch


def changed(launch, how):
    first, *rest = launch.findings
    if how == "low confidence":
        return msgspec.structs.replace(launch, findings=(msgspec.structs.replace(first, confidence=0.32), *rest))
    if how == "metrics missing":
        lack = Missing("local_sectors", (first.id,), "ncu --section MemoryWorkloadAnalysis_Tables")
        return msgspec.structs.replace(launch, missing=(lack, *launch.missing))
    bad = msgspec.structs.replace(first, id="counter_implausible", kind="trust")
    return msgspec.structs.replace(launch, findings=(first, *rest, bad))


def words(launch):
    """Everything that the faces say about the first finding."""
    first = launch.findings[0]
    card = finding_card(launch, first, 0)
    return {
        "page": label_text(first, launch),
        "next": next_text(first, launch),
        "page facts": " ".join(f"{row.label} {row.text} {row.tone}" for row in launch_blocks(launch, {}).first[0].rows),
        "card": card.label,
        "method": _advice(launch).text,
        "compare": _ahead(runs_of((launch,))[0]).text,
        "export": _first(launch),
    }


CERTAIN = ("Done", "Nothing to fix", "stop here", "Stop", "look for speedups elsewhere", " good")


def test_a_certain_launch_may_be_called_done(done):
    said = words(
        msgspec.structs.replace(done, metrics={**done.metrics, "theoretical_bytes": done.metrics["dram_bytes"]})
    )
    assert said["page"] == "Done" and said["card"] == "Nothing to fix" and said["method"].endswith("stop here.")
    assert said["compare"].startswith("Stop") and said["export"].startswith("nothing")


def test_without_the_algorithms_minimum_it_is_near_its_limit_and_the_page_says_what_was_not_checked(done):
    """No counter shows that a small array is fetched again (kernels/unfused-chain: 1.15x were left)."""
    assert words(done)["page"] == "Near limit"
    (row,) = [row for row in launch_blocks(done, {}).first[0].rows if row.label == "Not checked"]
    assert "more than once" in row.text and "theoretical_bytes" in row.text


@pytest.mark.parametrize("how", ["low confidence", "metrics missing", "invalid numbers"])
def test_an_uncertain_launch_is_not(done, how):
    launch = changed(done, how)
    assert not is_settled(launch, launch.findings[0])
    for face, text in words(launch).items():
        assert not any(word in text for word in CERTAIN), (face, text)
        if face not in ("next", "page facts"):
            assert "ossibly" in text, (face, text)


def test_the_fix_of_an_uncertain_end_is_not_to_stop(done):
    rows = launch_blocks(changed(done, "low confidence"), {}).first[0].rows
    assert not any(row.label == "Fix" for row in rows)
