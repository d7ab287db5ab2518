"""A counter that is NaN in the report is unknown: no launch is lost, nothing follows from it, and one line says so."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import pytest

from advisor.knowledge.base import metrics
from advisor.readers import actions
from advisor.readers.described import launch_of
from advisor.readers.frame import Launch, frame
from advisor.readers.numbers import Packer
from advisor.readers.read import read
from advisor.reasoning.diagnose import analyse
from advisor.records.diagnosis import LaunchDiagnosis
from tests.damaged import raw_csv, report

# Properties of the launch and of the device are no counters: the driver knows them.
NO_COUNTERS = ("launch__", "device__")
# What the per-instruction metrics say about the code, not about its execution.
OF_THE_CODE = ("memory_type", "memory_access_type", "memory_access_size_type")


class Metric:
    """A metric with one value and values by address, as NVIDIA's library gives it."""

    def __init__(self, number: float, by_key: dict[Any, float] | None = None) -> None:
        self._number, self._keys, self._numbers = number, list(by_key or {}), list((by_key or {}).values())

    def value(self) -> float:
        return self._number

    def unit(self) -> str:
        return ""

    def num_instances(self) -> int:
        return len(self._keys)

    def has_correlation_ids(self) -> bool:
        return bool(self._keys)

    def correlation_ids(self) -> Metric:
        return self

    def as_uint64(self, at: int) -> int:
        return int(self._keys[at])

    def as_string(self, at: int) -> str:
        return str(self._keys[at])

    def as_double(self, at: int) -> float:
        return self._numbers[at]


class Action:
    """A launch with two global loads of a warp each, a spill and an access to an array in local memory."""

    NameBase_DEMANGLED = NameBase_MANGLED = 0

    def __init__(self, **changes: Metric) -> None:
        tables = {
            "memory_type": (4.0, 4.0, 8.0, 8.0),
            "memory_access_type": (2.0, 2.0, 2.0, 2.0),
            "memory_access_size_type": (32.0, 32.0, 32.0, 32.0),
            "inst_executed": (10.0, 10.0, 6.0, 4.0),
            "thread_inst_executed_true": (320.0, 320.0, 192.0, 128.0),
        }
        self._metrics = {name: Metric(0.0, dict(enumerate(values))) for name, values in tables.items()}
        self._metrics[actions.SPILLS] = Metric(6.0)
        self._metrics["sass__inst_executed_per_opcode"] = Metric(30.0, {"LDG": 20.0, "LDL": 10.0})
        self._metrics |= changes

    def name(self, _: int = 0) -> str:
        return "kernel"

    def metric_by_name(self, name: str) -> Metric | None:
        return self._metrics.get(name)

    def rule_results_as_dicts(self) -> list[dict[str, Any]]:
        return []


def _described(**changes: Metric) -> Launch:
    found = actions.describe(Action(**changes), ["sm__throughput.avg.pct_of_peak_sustained_elapsed"])
    launch = launch_of(0, found | {"built": None, "sampling": None}, Packer())
    assert launch is not None
    return launch


def test_without_nan_the_stand_in_is_read_as_a_launch() -> None:
    launch = _described(**{"sm__throughput.avg.pct_of_peak_sustained_elapsed": Metric(30.0)})
    assert (launch.known["spill_inst"], launch.known["indexed_local_inst"]) == (6.0, 4.0)
    assert launch.opcodes == {"LDG": 20.0, "LDL": 10.0}
    assert launch.accesses is not None and len(launch.accesses) == 2
    assert launch.known["nan_metrics"] == 0


@pytest.mark.parametrize("lost", [math.nan, math.inf])
def test_one_lost_number_makes_what_needs_it_unknown_and_not_zero(lost: float) -> None:
    throughput = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
    launch = _described(**{throughput: Metric(lost)})
    assert math.isnan(frame([launch], metrics())["sm_throughput_pct"][0])
    assert launch.known["nan_metrics"] == 1
    assert "indexed_local_inst" not in _described(**{actions.SPILLS: Metric(lost)}).known
    assert _described(sass__inst_executed_per_opcode=Metric(20.0, {"LDG": 20.0, "LDL": lost})).opcodes is None


@pytest.mark.parametrize("table", [*OF_THE_CODE, "inst_executed"])
def test_a_lost_number_of_one_instruction_loses_no_launch(table: str) -> None:
    launch = _described(**{table: Metric(0.0, {0: 4.0, 1: math.nan, 2: 8.0, 3: 8.0})})
    assert launch.opcodes == {"LDG": 20.0, "LDL": 10.0}
    if table in ("memory_type", "inst_executed"):
        assert launch.accesses is None and "spill_inst" not in launch.known


def test_lost_counts_of_local_memory_are_not_counted_as_none() -> None:
    """In an old report the sums come from two counters."""
    names = actions.LOCAL_COUNTS[0]
    tables = {"memory_type": Metric(0.0), "inst_executed": Metric(0.0)}
    whole = _described(**tables, **{name: Metric(5.0) for name in names})
    assert (whole.known["spill_inst"], whole.known["indexed_local_inst"]) == (6.0, 4.0)
    lost = _described(**tables, **{names[0]: Metric(5.0), names[1]: Metric(math.nan)})
    assert "indexed_local_inst" not in lost.known


def _lines(launch: LaunchDiagnosis) -> list[str]:
    return [one.because for one in launch.findings if one.id == "metric_nan"]


def test_a_binary_report_of_lost_counters_supports_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a child sends of each launch, with NaN in the place of each counter, and of some of them."""
    path = tmp_path / "report.ncu-rep"
    path.write_bytes(report())
    whole = read(path).frame
    _plant(monkeypatch, "")
    lost = read(path)
    assert lost.info.complete and len(lost.frame) == 2
    assert (lost.frame["nan_metrics"] > 100).all() and (whole["nan_metrics"] < 20).all()
    for name in ("duration_ns", "dram_pct", "sm_throughput_pct", "warps_active", "issue_active"):
        if name in whole:
            assert whole[name].notna().all() and lost.frame[name].isna().all(), name
    for launch in analyse([path]).diagnosis.launches:
        (line,) = _lines(launch)
        assert line.endswith("of the report's metrics are NaN and treated as unknown")
        assert launch.verdict.id == "undetermined"
        assert {one.id for one in launch.findings if one.kind == "diagnosis"} <= {"unexplained"}


def test_some_lost_counters_change_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.ncu-rep"
    path.write_bytes(report())
    whole = read(path).frame
    _plant(monkeypatch, "lts__t_sector_hit_rate")
    lost = read(path).frame
    assert whole["l2_hit_pct"].notna().all() and lost["l2_hit_pct"].isna().all()
    assert (lost["duration_ns"] == whole["duration_ns"]).all()
    assert (lost["sm_throughput_pct"] == whole["sm_throughput_pct"]).all()
    assert all(len(_lines(launch)) == 1 for launch in analyse([path]).diagnosis.launches)


def _plant(monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    """Put NaN into the counters whose name begins with `prefix`, in each message of a child."""

    def planted(index: int, message: Any, packer: Packer) -> Launch | None:
        message["values"] = {
            name: (math.nan if name.startswith(prefix) and not name.startswith(NO_COUNTERS) else value, unit)
            for name, (value, unit) in message["values"].items()
        }
        if not prefix:
            message |= {"opcodes": None, "accesses": None, "patterns": {}, "local": None, "sampling": None}
        return launch_of(index, message, packer)

    monkeypatch.setattr("advisor.readers.parent.launch_of", planted)


def test_lost_counters_of_a_table_are_unknown(tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(raw_csv())))
    head, units, *launches = rows
    lost = [at for at, name in enumerate(head) if "__" in name and not name.startswith(NO_COUNTERS)]
    for row in launches:
        for at in lost:
            row[at] = "nan" if row[at] else ""
    path = tmp_path / "raw.csv"
    with path.open("w", newline="") as out:
        csv.writer(out, quoting=csv.QUOTE_ALL).writerows([head, units, *launches])
    found = read(path)
    assert found.info.complete and len(found.frame) == 3
    assert (found.frame["nan_metrics"] > 100).all()
    assert found.frame["dram_pct"].isna().all() and found.frame["duration_ns"].isna().all()
    for launch in analyse([path]).diagnosis.launches:
        assert len(_lines(launch)) == 1
        assert {one.id for one in launch.findings if one.kind == "diagnosis"} <= {"unexplained"}
