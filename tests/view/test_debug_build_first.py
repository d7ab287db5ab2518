"""A debug build is said first, in every face: no other number of the launch describes the code that will be shipped."""

from __future__ import annotations

import pytest

from advisor.cli.main import main
from advisor.reasoning.diagnose import analyse_numbers
from advisor.records import resources
from advisor.records.diagnosis import first_diagnosis, main_finding
from advisor.session.transitions import conclusion
from advisor.view.pages.launch import label_text, launch_blocks

SPILLS = {"stall_long_scoreboard_pct": 90, "compute_pct": 15, "memory_pct": 47, "dram_pct": 47, "eligible_warps": 0.2}
NUMBERS = {
    "marked": {"debug_build": 1, **SPILLS},
    "by the wait stall": {"stall_wait": 14.2, **SPILLS},
    "at the roofline": {"debug_build": 1, "dram_pct": 92, "memory_throughput_pct": 92, "compute_pct": 20},
}


def of(numbers):
    return analyse_numbers(numbers).diagnosis.launches[0]


@pytest.mark.parametrize("name", NUMBERS)
def test_it_is_the_first_finding_and_the_others_stay_below(name):
    launch = of(NUMBERS[name])
    assert launch.findings[0].id == "debug_build" == main_finding(launch).id == first_diagnosis(launch).id
    assert launch.findings[0].kind == "trust"
    without = of({k: v for k, v in NUMBERS[name].items() if k not in ("debug_build", "stall_wait")})
    assert {f.id for f in without.findings} - {"unexplained"} <= {f.id for f in launch.findings}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_page_and_the_session_begin_with_it(name):
    launch = of(NUMBERS[name])
    (first_fact, *_) = launch_blocks(launch, {}).first[0].rows
    assert first_fact.label == "Rebuild first" == label_text(launch.findings[0], launch)
    assert "debug_build" in first_fact.text
    cards = [card for card in conclusion(launch, 0) if card is not None]
    assert cards[0].label == "Rebuild first" and cards[1].kind == "class"
    assert "-O3 -lineinfo" in str(cards[0].blocks)
    assert not any(card.label == "Nothing to fix" for card in cards)


def test_a_pipe_near_its_peak_is_no_debug_build():
    assert "debug_build" not in {f.id for f in of({"stall_wait": 14.2, "compute_pct": 88, "memory_pct": 20}).findings}


@pytest.mark.parametrize("question", ["is it memory bound", "why is it slow", "what next", "how much faster can it be"])
def test_an_answer_begins_with_it(question, capsys):
    report = resources.folder("kernels") / "cooling-law" / "profile.ncu-rep.xz"
    with pytest.raises(SystemExit, match="0"):
        main(["ask", str(report), question])
    body = " ".join(capsys.readouterr().out.split())
    assert "Debug build:" in body[:200] and "-O3 -lineinfo" in body
