"""`occupancy` means the finding of the launch's own limiter, in the session, in the proof and in `ask`."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.reasoning.diagnose import analyse_numbers
from advisor.session import events as e
from advisor.session.action import Typed
from advisor.session.actions.why import _proof, _why_not
from advisor.session.language.asking import question
from advisor.session.questions import answer
from advisor.session.services import knowledge_index
from advisor.session.state import State
from tests.changed import replace

LIMITS = dict.fromkeys(("registers", "shared", "blocks", "warps"), 16.0)
NUMBERS = {
    "block_size": 128,
    "occupancy_theoretical_pct": 100,
    "occupancy_achieved_pct": 50,
    "device_max_warps_per_sm": 64,
}
CASES = [
    ({"warps": 4.0}, "low_occupancy_block_size", "the warp slots"),
    ({"registers": 4.0}, "low_occupancy_registers", "registers"),
    ({"shared": 4.0}, "low_occupancy_shared_memory", "shared memory"),
]


def analysis(limits: dict[str, float]) -> Any:
    known = {f"occupancy_limit_{name}": value for name, value in {**LIMITS, **limits}.items()}
    return analyse_numbers({**NUMBERS, **known, "shared_bytes_per_block": 1024, "compute_pct": 5, "memory_pct": 90})


@pytest.mark.parametrize(("limits", "finding", "named"), CASES)
def test_the_limiter_of_the_launch_decides_what_occupancy_means(
    limits: dict[str, float], finding: str, named: str
) -> None:
    judged, index = analysis(limits), knowledge_index()
    state = replace(State(), position=0, place="launch", knowledge=index, diagnosis=judged.diagnosis)
    for typed in ("occupancy", "low occupancy"):
        assert _why_not(Typed(typed, typed), state) == e.WhyNotAsked(finding)
        assert _proof(Typed(typed, typed), state) == e.ViewShown("proof", finding)
    assert question("why not low occupancy", state) == e.WhyNotAsked(finding)
    said = answer("why not occupancy", judged, 0, index.asked).answer.says
    assert judged.catalog.findings[finding].title in said
    assert f"limited by {named}" in said and "theoretical 100 %, achieved 50 %" in said


def test_a_kernel_without_shared_memory_is_not_limited_by_it() -> None:
    numbers = {f"occupancy_limit_{name}": 16.0 for name in ("shared", "blocks", "warps")} | {
        "shared_bytes_per_block": 0
    }
    launch = analyse_numbers({**numbers, "occupancy_limit_registers": 32}).diagnosis.launches[0]
    assert launch.labels["occupancy_limiter"] == "blocks+warps"
