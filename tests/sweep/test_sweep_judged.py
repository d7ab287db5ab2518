"""Which point is picked and what is said about the range, from times and counters of points that were never run."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from msgspec import structs

from advisor.compare.compare import runs_of
from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse_numbers
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.sweep.judge import judge
from advisor.sweep.plan import Parameter
from advisor.sweep.read import Measured, Measurements, base_name
from advisor.sweep.records import SweepDocument
from advisor.view.pages.sweep import sweep_page

SAME = {"flop": 1e9, "dram_bytes": 1e6, "store_sectors_ideal": 1e3}


@pytest.fixture(scope="module")
def launch() -> LaunchDiagnosis:
    return analyse_numbers({"dram_pct": 70.0, "compute_pct": 30.0}, gpu="H100-SXM", name="scale").diagnosis.launches[0]


def swept(launch: LaunchDiagnosis, rows: dict[str, Any], other: float = 0.0) -> SweepDocument:
    """The result for points: `BLOCK=64 UNROLL=1` -> time in us, and metrics; None failed."""
    points, values = [], [tuple(tuple(x.split("=")) for x in text.split()) for text in rows]
    for key, row in zip(values, rows.values(), strict=True):
        if row is None:
            points.append(Measured(key, "does not compile"))  # type: ignore[arg-type]
            continue
        time, metrics = row if isinstance(row, tuple) else (row, {})
        registers = metrics.get("registers_per_thread", 32)
        known = {**SAME, "registers_per_thread": registers, "registers_allocated": -(-registers // 8) * 8, **metrics}
        block = (int(metrics.get("threads", 128)), 1, 1)
        made = [
            structs.replace(launch, index=i, duration_ns=1e3 * time + i, metrics=known, block=block) for i in range(5)
        ]
        points.append(Measured(key, "", "x", runs_of(made)[0]))  # type: ignore[arg-type]
    names = [name for name, _ in values[0]]
    varied = tuple(Parameter(n, tuple(dict.fromkeys(dict(v)[n] for v in values))) for n in names)  # type: ignore[arg-type]
    return judge(Measurements(catalog(), varied, tuple(points), "scale", other))


def picked(found: SweepDocument) -> tuple[str, str]:
    assert found.pick is not None
    return next(p.label for p in found.points if p.picked), found.pick.reason


def notes(found: SweepDocument) -> list[str]:
    return [n.id for n in found.notes]


@pytest.mark.parametrize(
    ("rows", "pick", "said"),
    [
        # beyond the noise, the time alone decides
        ({"B=1": 500.0, "B=2": (400.0, {"registers_per_thread": 200}), "B=4": 500.0}, ("B=2", "fastest"), []),
        # within it, the registers, as the hardware allocates them
        (
            {"B=1": 500.0, "B=2": (400.0, {"registers_per_thread": 64}), "B=4": 402.0, "B=8": 500.0},
            ("B=4", "fewer_registers"),
            ["tied"],
        ),
        (
            {"B=1": 500.0, "B=2": (400.0, {"registers_per_thread": 31}), "B=4": (402.0, {"registers_per_thread": 29}),
             "B=8": 500.0},
            ("B=2", "fastest"),
            ["tied"],
        ),
        # no spills before fewer registers
        (
            {"B=1": 500.0, "B=2": (400.0, {"spill_inst": 9.0}), "B=4": (402.0, {"registers_per_thread": 64}),
             "B=8": 500.0},
            ("B=4", "no_spills"),
            ["tied"],
        ),
        ({"B=1": 400.0, "B=2": 401.0, "B=4": 402.0}, ("B=1", "fastest"), ["no_difference"]),
        ({"B=1": 400.0}, ("B=1", "fastest"), ["single"]),
        ({"B=1": 500.0, "B=2": 400.0, "B=4": 300.0}, ("B=4", "fastest"), ["edge_high"]),
        ({"B=1": 300.0, "B=2": 400.0, "B=4": 500.0}, ("B=1", "fastest"), ["edge_low"]),
        # the largest tried failed, so the best is inside the range
        ({"B=1": 500.0, "B=2": 400.0, "B=4": None}, ("B=2", "fastest"), []),
        # the curve is flat at the end
        ({"B=1": 500.0, "B=2": 400.0, "B=4": 399.0}, ("B=4", "fastest"), ["tied"]),
        # words have no order
        ({"B=a": 500.0, "B=b": 400.0}, ("B=b", "fastest"), []),
        ({"B=1": 500.0, "B=2": 450.0, "B=auto": 400.0}, ("B=auto", "fastest"), []),
        ({"B=auto": 500.0, "B=1": 450.0, "B=2": 400.0}, ("B=2", "fastest"), ["edge_high"]),
        # no block is larger
        (
            {"B=512": (500.0, {"threads": 512}), "B=1024": (400.0, {"threads": 1024})},
            ("B=1024", "fastest"),
            [],
        ),
        ({"B=512": 500.0, "B=1024": 400.0}, ("B=1024", "fastest"), ["edge_high"]),
        # work
        ({"B=1": 500.0, "B=2": (400.0, {"flop": 5e8}), "B=4": 500.0}, ("B=2", "fastest"), ["work"]),
        (
            {"B=1": 500.0, "B=2": (400.0, {"flop": 0.0, "store_sectors_ideal": 3e4}), "B=4": 500.0},
            ("B=2", "fastest"),
            ["work"],
        ),
        # a few partial sums more are no other problem
        ({"B=1": 500.0, "B=2": (400.0, {"store_sectors_ideal": 2e3}), "B=4": 500.0}, ("B=2", "fastest"), []),
    ],
)  # fmt: skip
def test_the_pick_and_what_is_said(
    launch: LaunchDiagnosis, rows: dict[str, Any], pick: tuple[str, str], said: list[str]
) -> None:
    found = swept(launch, rows)
    assert picked(found) == pick
    assert notes(found) == said
    assert sweep_page(found).title.startswith("scale · sweep of B")


def test_a_parameter_that_does_not_matter_is_named_where_the_others_are_as_picked(launch: LaunchDiagnosis) -> None:
    times = {64: 500.0, 128: 400.0, 256: 450.0}
    rows = {f"BLOCK={b} UNROLL={u}": times[b] + u / 10 for b, u in itertools.product(times, (1, 2))}
    found = swept(launch, rows)
    assert picked(found)[0] == "BLOCK=128 UNROLL=1" and notes(found) == ["tied", "flat"]
    assert found.notes[1].text.startswith("UNROLL does not matter at BLOCK=128")


def test_without_counts_of_work_the_comparison_of_threads_bytes_and_instructions_decides(
    launch: LaunchDiagnosis,
) -> None:
    one = {"threads": 1e6, "requested_bytes": 1e9, "inst_executed": 1e8}
    two = {name: 2 * value for name, value in one.items()}
    unknown = {"flop": float("nan"), "store_sectors_ideal": float("nan")}
    rows = {"B=1": (500.0, {**two, **unknown}), "B=2": (400.0, {**one, **unknown}), "B=3": (500.0, {**two, **unknown})}
    found = swept(launch, {k: (t, {**m, "threads": m["threads"]}) for k, (t, m) in rows.items()})
    assert "size" in notes(found)
    rows = {k: (t, {**m, **SAME}) for k, (t, m) in rows.items()}
    assert "size" not in notes(swept(launch, rows)), "the operations are known to be the same"


def test_the_sentence_names_the_point_the_time_and_what_it_was_chosen_for(launch: LaunchDiagnosis) -> None:
    def text(rows: dict[str, Any]) -> str:
        pick = swept(launch, rows).pick
        assert pick is not None
        return pick.text

    many = {"registers_per_thread": 64}
    assert text({"B=1": 500.0, "B=2": 400.0}) == "B=2: the fastest, 400 µs"
    assert text({"B=1": 401.0, "B=2": 400.0}) == "B=2: as good as any other, 400 µs"
    assert text({"B=1": 500.0, "B=2": (400.0, many), "B=4": 402.0}) == (
        "B=4: 402 µs, within the noise of 1.5 % of the fastest (B=2, 400 µs), "
        "with 32 registers per thread instead of 64"
    )


def test_nothing_measured_is_no_pick_and_other_kernels_are_named(launch: LaunchDiagnosis) -> None:
    found = swept(launch, {"B=1": None, "B=2": None})
    assert (found.pick, found.measured, notes(found)) == (None, 0, [])
    assert notes(swept(launch, {"B=1": 500.0, "B=2": 400.0, "B=3": 500.0}, other=0.4)) == ["kernels"]


@pytest.mark.parametrize(
    ("kernel", "base"),
    [("scale", "scale"), ("void ns::scale<64, a::b>(float*)", "scale"), ("scale<(int)4>", "scale"), ("", "")],
)
def test_a_kernel_keeps_its_name_whatever_the_point_makes_of_its_arguments(kernel: str, base: str) -> None:
    assert base_name(kernel) == base
