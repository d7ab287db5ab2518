"""Questions whether a technique would help: yes with its gain, no with its bound, or what decides it."""

from __future__ import annotations

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.techniques import techniques
from advisor.knowledge.texts import fields
from advisor.reasoning.diagnose import analyse_numbers
from advisor.session.language.known import known
from advisor.session.language.techniques import asked
from advisor.session.questions import answer

NARROW = {"dram_pct": 25, "sm_throughput_pct": 20, "memory_throughput_pct": 25, "eligible_warps": 0.2, "waves": 30}
NARROW |= {"access_bits_mean": 8, "narrow_access_share": 1, "stall_long_scoreboard_pct": 80, "issue_interval": 60}
NARROW |= {"active_warps": 12, "sector_ratio": 1, "load_sector_ratio": 1, "store_sector_ratio": 1}


@pytest.mark.parametrize(
    ("text", "technique"),
    [
        ("should I use float4?", "float4"),
        ("will vector loads help", "float4"),
        ("can I use shared memory", "shared_memory"),
        ("would a larger block help?", "block_size"),
        ("is it worth using tensor cores?", "tensor_cores"),
        ("what about occupancy", "occupancy"),
        ("would more occupancy make a difference?", "occupancy"),
        ("why is occupancy low", ""),
        ("what is shared memory", ""),
        ("how do I use tensor cores", ""),
        ("is it the occupancy?", ""),
    ],
)
def test_which_questions_ask_whether_a_technique_would_help(text: str, technique: str) -> None:
    meaning = asked(text)
    assert ("" if meaning is None or meaning.subject is None else meaning.subject.id) == technique


def said(text: str, **values: float) -> tuple[str, str]:
    found = answer(text, analyse_numbers(values, gpu="H100-SXM"), 0, known())
    return found.answer.truth, found.answer.says


def test_a_technique_that_cures_the_first_finding_helps_with_its_gain() -> None:
    truth, says = said("should I use float4?", **NARROW)
    assert truth == "yes" and "narrow accesses" in says


def test_what_the_launch_has_already_does_not_help() -> None:
    truth, says = said("should I use float4?", **{**NARROW, "access_bits_mean": 128, "narrow_access_share": 0})
    assert truth == "no" and "already" in says


def test_what_is_not_known_is_no_reason_to_say_no() -> None:
    truth, says = said("can I use shared memory?", dram_pct=88, memory_throughput_pct=88, sm_throughput_pct=10)
    assert truth == "unknown" and says.startswith("Unknown")


def test_every_technique_names_findings_observations_and_metrics_that_exist() -> None:
    for entry in techniques().values():
        assert all(name in catalog().diagnoses for name in entry.fixes)
        assert not entry.done or entry.done in catalog().observations
        assert all(name in catalog().metrics for text in entry.numbers for name in fields(text))
