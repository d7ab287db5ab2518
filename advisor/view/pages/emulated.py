"""The pages of `emulate`: the counts of a launch, and the check of a step. Every page says that it is emulated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.emulator.trace import TracedAccess
from advisor.hardware.simulators import SECTOR
from advisor.practice.emulated_check import Checked
from advisor.records.emulated import EmulatedDocument, EmulatedFinding
from advisor.view.blocks import Block, Bullets, Cell, Column, Fact, Facts, Page, Paragraph, Plain, Section, Table
from advisor.view.pages.simulators import banks_drawn, sectors_drawn

EMULATED = "Emulated on the CPU: counts only. Not a profile of a GPU."
_LABELS = {
    "inst_executed": "Warp instructions",
    "lanes_active": "Active lanes of 32",
    "lanes_pred_on": "Active lanes, not predicated off",
    "global_sectors": "Global sectors",
    "load_sector_ratio": "Sectors of loads over ideal",
    "store_sector_ratio": "Sectors of stores over ideal",
    "access_bits_mean": "Bits per lane of a global access",
    "shared_wavefronts": "Shared wavefronts",
    "shared_wavefront_ratio": "Shared wavefronts over ideal",
    "local_inst": "Local loads and stores",
    "spill_inst": "of these, spills",
    "atomic_inst": "Atomic operations",
    "fp64_inst": "Double-precision instructions",
    "idc_requests_per_ldc": "Addresses per indexed constant load",
}


def emulated_page(found: EmulatedDocument) -> Page:
    """Return the page of a counted launch."""
    sampled = "all blocks executed" if found.exact else f"{found.executed_blocks} of {found.blocks} blocks executed"
    order = "; results of atomic operations decide counts, which depend on the order of warps" * found.order_dependent
    spread = "" if found.exact else f", neighbouring blocks differ by up to {100 * found.spread:.2g} %"
    depends = (
        "the contents of the inputs decide counts"
        if found.data_dependent
        else "counts do not depend on the inputs' contents"
    )
    first = found.findings[0] if found.findings else None
    facts = Facts(
        (
            Fact("Emulated", EMULATED, "warn"),
            Fact("Class", "undetermined: " + ", ".join(found.unknown) + " are unknown"),
            Fact(
                "First finding",
                f"{first.title} ({first.confidence} confidence)" if first else "none from counts",
                "lead",
            ),
            Fact("Launch", f"{found.kernel} on {found.arch}, grid {_shape(found.grid)}, block {_shape(found.block)}"),
            Fact("Counted", f"{sampled}{spread}; {depends}{order}"),
        )
    )
    values = dict(found.metrics)
    rows = [(label, values[name]) for name, label in _LABELS.items() if name in values]
    table = Table(
        (Column("Counted"), Column("Value", numeric=True)),
        tuple((Cell(label), Cell(_number(value), key=value)) for label, value in rows),
    )
    unknown = Paragraph(f"Unknown: {', '.join(found.unknown)}. These need a profile on a GPU.")
    findings = [Section(one.title, _finding(one)) for one in found.findings]
    return Page(f"Emulated: {found.kernel}", (facts,), (*findings, Section("Counts", (table, unknown))))


def _finding(one: EmulatedFinding) -> tuple[Block, ...]:
    lines = one.because
    places = Table(
        (Column("Where", keep="end"), Column("Instruction"), Column("Share", numeric=True)),
        tuple(
            (
                Cell(f"{Path(p.file).name}:{p.line}" if p.file else f"0x{p.address:x}"),
                Cell(p.sass[:60]),
                Cell(f"{100 * p.share:.0f} %", key=p.share),
            )
            for p in one.locations
        ),
    )
    confidence = f"{one.confidence} confidence: how much time this costs is unknown"
    return (Bullets((*lines, confidence)), places)


def trace_page(where: str, accesses: Sequence[TracedAccess]) -> Page:
    """Return the page of the accesses of a source line: for each instruction its costliest warp, drawn."""
    parts = [
        Section(
            one.text,
            (
                Facts(
                    (
                        Fact("Access", f"{one.kind} of {one.width} bytes per lane, {_target(one)}"),
                        Fact("Warp", f"that of {one.who}: the most expensive of the executed ones"),
                        Fact("Cost", _cost(one)),
                    )
                ),
                Plain(tuple((sectors_drawn if one.space == "global" else banks_drawn)(one.lanes, one.width))),
            ),
        )
        for one in accesses
    ]
    return Page(f"Emulated accesses of {where}", (Facts((Fact("Emulated", EMULATED, "warn"),)),), tuple(parts))


def _target(one: TracedAccess) -> str:
    return f"global memory (`{one.array}`)" if one.space == "global" else "shared memory"


def _cost(one: TracedAccess) -> str:
    lanes = sum(place is not None for place in one.lanes)
    if one.space == "global":
        ideal = min(one.cost, -(-lanes * one.width // SECTOR))
        return f"{one.cost} sectors, ideal {ideal}"
    return f"{one.cost} wavefronts"


def check_page(name: str, found: Checked) -> Page:
    """Return the page of a check: right, or the first wrong output or memory error."""
    if found.fault:
        verdict = Fact("Result", f"{found.kind.replace('_', ' ')}: {found.fault}", "bad")
    elif found.mismatch is not None:
        wrong = found.mismatch
        left = " (never written)" if wrong.unwritten else ""
        verdict = Fact(
            "Result",
            f"wrong: {wrong.output}{list(wrong.index)} is {wrong.got:g}, expected {wrong.expected:g}{left}; "
            f"{wrong.wrong} of {wrong.total} elements",
            "bad",
        )
    else:
        verdict = Fact("Result", "right: every output is within its tolerance, no memory error", "good")
    sizes = ", ".join(f"{key} = {value}" for key, value in found.sizes.items())
    facts = Facts(
        (
            Fact("Executed", "on the CPU, not on a GPU: the result is checked, the speed is not", "warn"),
            verdict,
            Fact("Problem", f"small: {sizes}"),
        )
    )
    return Page(f"Emulated check: {name}", (facts,), ())


def _shape(sizes: tuple[int, int, int]) -> str:
    return " × ".join(str(n) for n in sizes)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
