"""The pages of `emulate`: the counts of a launch, and the check of a step. Every page says that it is emulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from advisor.emulator.trace import TracedAccess
from advisor.hardware.simulators import SECTOR
from advisor.practice.emulated_check import Checked
from advisor.readers.ptxas import function_name
from advisor.reasoning.modelled import label_of
from advisor.records.emulated import EmulatedDocument, EmulatedFinding, ModelledValue
from advisor.view.blocks import Block, Bullets, Cell, Column, Fact, Facts, Page, Paragraph, Plain, Section, Table
from advisor.view.pages.simulators import banks_drawn, sectors_drawn

_SAME = 0.005  # relative change of a count up to which it is the same
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

# What the fix of a finding removes, as its weight counts it.
_REMOVABLE = {
    "uncoalesced_access": "passes through L1 (of four sectors each)",
    "bank_conflicts": "passes through shared memory (wavefronts beyond the ideal)",
    "branch_divergence": "warps' worth of idle lanes",
    "register_spilling": "loads and stores of spilled registers",
    "local_memory_arrays": "loads and stores of local memory",
    "constant_serialization": "passes through the constant cache",
    "fp64_unintended": "conversions to or from double",
    "atomic_contention": "atomic instructions",
    "narrow_accesses": "loads and stores, with 16 bytes per lane,",
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
    first, name = found.findings[0] if found.findings else None, function_name(found.kernel)
    facts = Facts(
        (
            Fact("Emulated", EMULATED, "warn"),
            Fact("Class", "undetermined: " + ", ".join(found.unknown) + " are unknown"),
            Fact(
                "First finding",
                f"{first.title} ({first.confidence} confidence)" if first else "none from counts",
                "lead",
            ),
            Fact("Launch", f"{name} on {found.arch}, grid {_shape(found.grid)}, block {_shape(found.block)}"),
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
    sections = (*findings, Section("Counts", (table, unknown)), *_modelled(found))
    return Page(f"Emulated: {name}", (facts,), sections)


def _modelled(found: EmulatedDocument) -> tuple[Section, ...]:
    """Return the section of the modelled values; nothing without any."""
    if found.not_modelled and not found.modelled:
        return (Section("Modelled", (Paragraph(f"Not modelled: {found.not_modelled}", "warn"),)),)
    if not found.modelled:
        return ()
    words = (
        f"Modelled for {found.modelled_on}, neither counted nor measured: from counts, a model of the caches and the "
        "time model. No finding rests on these values. Against the profiles of 149 launches of the exercises, "
        "the time was wrong by a factor of 1.1 in the median and of 1.9 or more in the worst tenth, up to 33 where "
        "host memory decides it. A profile shows the values."
    )
    table = Table(
        (Column("Modelled"), Column("Value", numeric=True)),
        tuple((Cell(label_of(one.metric)), Cell(_with_unit(one), key=one.value)) for one in found.modelled),
    )
    lacking = (Paragraph(f"No time: {found.not_modelled}.", "warn"),) if found.not_modelled else ()
    return (Section("Modelled", (Paragraph(words, "warn"), table, *lacking)),)


def _with_unit(one: ModelledValue) -> str:
    if one.unit == "%":
        return f"{one.value:.0f} %"
    return f"{one.value / 1e3:,.1f} µs" if one.unit == "ns" else f"{one.value / 1e6:,.1f} MB"


def _finding(one: EmulatedFinding) -> tuple[Block, ...]:
    what = _REMOVABLE.get(one.id, "units of work")
    lines = [
        *one.because,
        f"A fix can remove {what}: {100 * one.weight:.2g} % of the time to issue all instructions",
    ]
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


def counts_compared(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[Section, ...]:
    """Return the counts of two versions side by side, those that changed; nothing if none did."""
    rows = [
        (label, before[name], after[name])
        for name, label in _LABELS.items()
        if name in before and name in after and abs(after[name] - before[name]) > _SAME * max(abs(before[name]), 1e-9)
    ]
    if not rows:
        return (Section("Counts", (Paragraph("No count changed against the first version.", "warn"),)),)
    table = Table(
        (Column("Counted"), Column("First version", numeric=True), Column("Yours", numeric=True)),
        tuple((Cell(name), Cell(_number(old), old), Cell(_number(new), new)) for name, old, new in rows),
    )
    return (Section("Counts at the recorded size, first version and yours", (table,)),)


def check_page(name: str, found: Checked, counted: tuple[EmulatedDocument, EmulatedDocument] | None = None) -> Page:
    """Return the page of a check: right, or the first wrong output or memory error.

    counted: the version to fix and the checked one at the recorded size.
    """
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
    rows = (
        verdict,
        *(() if counted is None else _causes_compared(*counted)),
        Fact("Executed", "on the CPU, not on a GPU: the result is checked, the speed is not", "warn"),
        Fact("Problem", f"small: {sizes}"),
    )
    sections = () if counted is None else counts_compared(*(dict(one.metrics) for one in counted))
    return Page(f"Emulated check: {name}", (Facts(rows),), sections)


def _causes_compared(before: EmulatedDocument, after: EmulatedDocument) -> tuple[Fact, ...]:
    """Return which causes the counts of the first version show, and which are left; empty if there is none."""
    old, new = ({one.id: one.title for one in side.findings} for side in (before, after))
    gone = [title for name, title in old.items() if name not in new]
    stayed = [title for name, title in old.items() if name in new]
    came = [title for name, title in new.items() if name not in old]
    parts = [f"no longer in the counts: {', '.join(gone)}"] if gone else []
    parts += [f"still there: {', '.join(stayed)}"] if stayed else []
    parts += [f"new: {', '.join(came)}"] if came else []
    return (Fact("Fix", "; ".join(parts), "good" if gone and not (stayed or came) else "warn"),) if parts else ()


def _shape(sizes: tuple[int, int, int]) -> str:
    return " × ".join(str(n) for n in sizes)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
