"""A number that the user states and the counters refute is named as a contradiction and changes no conclusion."""

from __future__ import annotations

import pytest

from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.napkin import check
from advisor.records.diagnosis import LaunchDiagnosis

# A kernel that the load/store path limits: little DRAM traffic, which L2 cannot hide.
MEASURED: dict[str, float] = {
    "duration_ns": 1.84e6,
    "dram_bytes": 4.58e7,
    "dram_pct": 0.5,
    "memory_pct": 91,
    "compute_pct": 39,
    "l1_wavefronts_pct": 91,
    "l1_requests_pct": 80,
    "lsu_pct": 80,
    "shared_wavefront_share": 0.9,
    "device_l2_bytes": 6e7,
    "dram_peak_bytes_per_s": 4.8e12,
    "flop": 1.7e10,
    "tensor_inst": 0,
    "ffma_inst": 2.7e8,
    "memory_inst": 3.7e8,
    "inst_executed": 7.5e8,
}
TRUST = "answer_contradicted"


def of(**stated: float) -> LaunchDiagnosis:
    return analyse_numbers({**MEASURED, **stated}).diagnosis.launches[0]


def concluded(launch: LaunchDiagnosis) -> list[tuple[str, object, float]]:
    return [(f.id, f.speedup, f.confidence) for f in launch.findings if f.id != TRUST]


@pytest.mark.parametrize(
    "stated", [{"theoretical_bytes": 1.72e10}, {"theoretical_flop": 1e14}, {"theoretical_bytes": 1e12}]
)
def test_an_impossible_number_is_said_and_changes_nothing(stated: dict[str, float]) -> None:
    plain, told = of(), of(**stated)
    assert TRUST in [f.id for f in told.findings] and TRUST not in [f.id for f in plain.findings]
    assert concluded(told) == concluded(plain)
    assert told.verdict == plain.verdict
    assert not any("minimum" in q.says for q in told.quantities)


def test_a_possible_number_is_used() -> None:
    launch = of(theoretical_bytes=4e7)
    assert TRUST not in [f.id for f in launch.findings]
    assert any(q.id == "traffic_overhead" for q in launch.quantities)


def test_what_l2_can_hold_at_start_and_end_is_no_contradiction() -> None:
    assert TRUST not in [f.id for f in of(theoretical_bytes=1.5e8).findings]


def test_the_ridge_point_is_compared_with_dram_and_not_with_another_unit() -> None:
    """GEMM of 2048: 341 FLOP per byte on an idle DRAM while wavefronts of shared memory take 91 % of L1."""
    launch = of(theoretical_bytes=5.03e7, theoretical_flop=1.7e10, napkin_ridge=13.96)
    said = {c.id: c.because for c in launch.conclusions if c.id.startswith("napkin.")}
    assert "napkin.memory_bound_above_ridge" not in said
    assert "DRAM runs at 0.5 %" in said["napkin.inner_memory_above_ridge"]
    assert not any("bytes that it does not need" in text for text in said.values())


def test_the_napkin_itself_still_says_that_the_sizes_do_not_fit() -> None:
    from advisor.hardware.roofline import estimate

    result = estimate("gemm", {"m": 65536, "n": 65536, "k": 64}, dtype="f32", gpu_name="H200-SXM")
    assert "contradiction" in [found.kind for found in check(result, MEASURED)]
