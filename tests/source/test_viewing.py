"""Which measure a launch is looked at by, and that a launch read once is not read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.reasoning.diagnose import analyse
from advisor.records.errors import InputError, UsageError
from advisor.source import viewer as viewing
from advisor.source.viewer import Viewer, measures_for
from tests.changed import replace

REPORT = Path(__file__).parents[2] / "kernels" / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"


@pytest.fixture(scope="module")
def conflicts() -> Iterator[Any]:
    yield analyse([REPORT])


def test_a_findings_own_measure_comes_first_and_the_usual_ones_after_it(conflicts: Any):
    launch = conflicts.diagnosis.launches[0]
    wanted = measures_for(launch, conflicts.catalog)
    assert (wanted.finding, wanted.first, wanted.own) == ("bank_conflicts", True, True)
    assert [each.id for each in wanted.measures] == ["excess_wavefronts", "samples", "instructions"]
    without = measures_for(replace(launch, findings=()), conflicts.catalog)
    assert without.finding == "" and [each.id for each in without.measures] == ["samples", "instructions"]


def test_the_launch_read_last_is_kept_whatever_is_asked_of_it(conflicts: Any, monkeypatch: pytest.MonkeyPatch):
    read: list[int] = []
    real = viewing.read_listing

    def counting(path: Path, launch: int, *rest: Any, **more: Any) -> Any:
        read.append(launch)
        return real(path, launch, *rest, **more)

    monkeypatch.setattr(viewing, "read_listing", counting)
    viewer = Viewer()
    first = viewer.see(conflicts, 0)
    assert first.view.measure.id == "excess_wavefronts" and first.wanted is not None
    assert first.view.spots[0].row.opcode == "LDS" and len(first.rows) > len(first.view.spots)
    named = viewer.see(conflicts, 0, by="samples", search="LDG", columns="stalls")
    assert named.wanted is None and {spot.row.opcode.partition(".")[0] for spot in named.view.spots} == {"LDG"}
    assert {name for name, _, total in first.measures if total} >= {"samples", "excess_wavefronts"}
    viewer.see(conflicts, 0, by="smsp__pcsamp_warps_issue_stalled_wait")
    assert read == [0], "one reading for all measures of ours"
    viewer.see(conflicts, 1)
    assert read == [0, 1]


def test_a_mistyped_filter_is_told_before_anything_is_read(conflicts: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(viewing, "read_listing", lambda *_, **__: pytest.fail("nothing is read"))
    for wrong in ({"search": "("}, {"where": ("speed>5",)}, {"columns": "colours"}, {"by": "nonsense"}):
        with pytest.raises(UsageError):
            Viewer().see(conflicts, 0, **wrong)  # type: ignore[arg-type]


def test_a_table_of_numbers_holds_no_instructions(conflicts: Any):
    info = replace(conflicts.diagnosis.reports[0], format="csv")
    table = SimpleNamespace(diagnosis=replace(conflicts.diagnosis, reports=(info,)), catalog=conflicts.catalog)
    with pytest.raises(InputError, match="only binary reports"):
        Viewer().see(table, 0)  # type: ignore[arg-type]
