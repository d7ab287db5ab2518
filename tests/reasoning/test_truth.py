"""The bundled report: every launch has the class and the first finding that were written down before the rules."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from advisor.records import resources

TRUTH = yaml.safe_load((resources.folder("kernels") / "tour" / "truth.yaml").read_text(encoding="utf-8"))["launches"]


def first(launch: Any) -> Any:
    return next(f for f in launch.findings if f.kind == "diagnosis")


@pytest.mark.parametrize("at", range(len(TRUTH)), ids=[t["kernel"] for t in TRUTH])
def test_a_launch_of_the_tour_is_found_out(tour: Any, at: int) -> None:
    launch, truth = tour.diagnosis.launches[at], TRUTH[at]
    assert launch.kernel == truth["kernel"]
    assert launch.verdict.id == truth["class"]
    assert first(launch).id == truth["first"]


def test_the_truth_file_covers_the_whole_report(tour: Any) -> None:
    assert [launch.kernel for launch in tour.diagnosis.launches] == [t["kernel"] for t in TRUTH]


def test_every_launch_has_a_finding_and_every_finding_a_reason(tour: Any) -> None:
    for launch in tour.diagnosis.launches:
        assert launch.findings
        for finding in launch.findings:
            assert finding.because and "unknown" not in finding.because.split()
            assert finding.rules and finding.cites
            assert 0 <= finding.confidence <= 1


def test_speedups_are_ranges_around_their_estimate(tour: Any) -> None:
    for launch in tour.diagnosis.launches:
        for finding in launch.findings:
            if finding.speedup is not None:
                assert 1 <= finding.speedup.low <= finding.speedup.estimate <= finding.speedup.high


# Measured with events, 20 runs each, on the card of the report: slow twin over fast twin (recorded/h200/times.json).
@pytest.mark.parametrize(
    ("slow", "fast"), [("particle_field", "particle_field_soa"), ("transpose_tile", "transpose_padded")]
)
def test_a_measured_twin_lies_within_a_factor_of_two_of_the_estimate(tour: Any, slow: str, fast: str) -> None:
    import json

    times = json.loads(
        (resources.folder("kernels") / "tour" / "recorded" / "h200" / "times.json").read_text(encoding="utf-8")
    )
    measured = times[slow] / times[fast]
    launch = next(x for x in tour.diagnosis.launches if x.kernel == slow)
    predicted = first(launch).speedup.estimate
    assert max(predicted / measured, measured / predicted) < 2
