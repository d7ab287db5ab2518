"""An explanation as a page: the definition first, then its parts, related entries and sources."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from advisor.explain.entries import Explanation, GpuPeaks
from advisor.knowledge.abbreviations import used_in
from advisor.view.blocks import (
    Block,
    Bullets,
    Cell,
    Column,
    Fact,
    Facts,
    Line,
    Outline,
    Page,
    Paragraph,
    Plain,
    Section,
    Table,
    section,
)
from advisor.view.numbers import brief_text

KINDS = {
    "diagnosis": "finding",
    "trust": "caveat about the numbers",
    "pattern": "timeline pattern",
    "workload": "diagnosis of a graphics or compute workload",
    "class": "class of a launch",
    "conclusion": "conclusion of the napkin math or the quantification",
    "decision": "next step after a timeline",
    "stall": "stall reason",
    "opcode": "instruction",
    "step": "step of the method",
    "ncu_rule": "rule of Nsight Compute",
    "algorithm": "algorithm of `napkin`",
    "gpu": "GPU",
    "unit": "term of the time model",
    "dtype": "data type",
    "erratum": "correction",
}
HEADINGS = {
    "kinds": "Explain one of these kinds, or any word in an entry",
    "hits": "No entry has this name. Related entries",
    "says": "A source says",
    "what": "",
    "means": "",
    "why": "Why",
    "rules": "Concluded when",
    "explains": "Symptoms it explains",
    "test": "Test",
    "partition": "Group",
    "thresholds": "Thresholds",
    "used_by": "Used by",
    "misleads": "How it misleads",
    "points": "In detail",
    "look": "Look at",
    "fix": "Fix",
    "conditions": "Suits",
    "fixes": "Fixes that suit some kernels better",
    "steps": "Steps",
    "cure": "Remedy",
    "typical": "Typical gain",
    "costs": "Cost",
    "changes": "In the time model",
    "commands": "Commands",
    "code": "In code",
    "picture": "Picture",
    "before": "Before",
    "after": "After",
    "exit": "Done when",
    "when": "When",
    "formula": "Formula",
    "example": "Example",
    "computed": "On a launch",
    "assumes": "The bound holds",
    "bounds": "Bounds the speedup of",
    "unit": "Unit",
    "names": "In ncu",
    "text": "On ncu's pages",
    "collect": "Collect",
    "choices": "Answers",
    "sets": "Sets the metric",
    "next": "Check next",
    "facts": "GPU",
    "peaks": "Peaks",
    "limits": "An SM holds",
    "note": "Note",
    "fires": "Example values with it",
    "silent": "Example values without it",
    "exercise": "Exercise",
    "found_by": "Reported as",
    "told_by": "Shown with",
    "modifiers": "Modifiers",
    "corrections": "Corrected",
    "derivation": "Derivation",
    "parameters": "Parameters",
    "flop": "FLOP",
    "bytes": "Minimum bytes",
    "places": "Places",
    "pipe": "Pipe",
    "pipe_on": "On other GPUs",
    "kind": "Work",
    "flops": "Operations per lane",
    "counts": "Counted in",
    "traps": "Traps",
    "leads_to": "Leads to",
    "healthy": "When it is normal",
    "matrix": "Matrix product",
    "let": "With",
    "require": "Holds for",
}
# Lines to copy, and code: never wrapped.
_WHOLE = ("commands", "collect", "names", "test", "formula", "code", "picture", "before", "after", "exercise")
# Short facts share a paragraph: `Pipe  lsu`.
_SHORT = ("pipe", "kind", "space", "access", "flops", "counts", "unit", "partition", "size", "sets", "matrix", "metric")
# The table of GPUs: peak of a ridge point -> its heading, and how soon a narrow terminal omits it.
_RIDGES = {"fp64": ("fp64", 2), "fp32": ("fp32", 0), "fp16": ("fp16", 1), "fp16_tensor": ("tensor", 0)}
_GPU_COLUMNS = (
    Column("GPU"),
    Column("CC", spare=2),
    Column("SMs", numeric=True, spare=3),
    Column("TFLOP/s", numeric=True),
    Column("GB/s", numeric=True),
    Column("L2 MiB", numeric=True, spare=3),
    *(Column(name, numeric=True, spare=spare) for name, spare in _RIDGES.values()),
)
GPU_NOTE = (
    "TFLOP/s: fp32 peak. GB/s: DRAM peak. fp64 to tensor: ridge points in FLOP/byte (tensor: fp16 input, dense, fp32 "
    "accumulation). A dash is an unknown value. `ncu-advisor explain NAME` shows all data of one GPU."
)
SOURCES = "Sources"
SEE = "See also"
LINKS = "Links"
_NARROW = 56  # columns of a title in the narrowest terminal


def explain_page(explanation: Explanation) -> Page:
    """Build the page."""
    kind = KINDS.get(explanation.kind, explanation.kind.replace("_", " "))
    named = explanation.title == explanation.id
    made = Paragraph(kind if named else f"{explanation.id} ({kind})", "dim")
    parts = list(_sections(explanation))
    short = used_in(" ".join((explanation.title, *(line for _, lines in explanation.sections for line in lines))))
    if short and explanation.kind != "search":
        words = "; ".join(f"{name}: {said}" for name, said in short)
        at = next((at for at, part in enumerate(parts, 1) if part.title == HEADINGS["picture"]), 1)
        parts.insert(at, section("Abbreviations", [Paragraph(words)], level=3))
    if explanation.gpus:
        parts.insert(1, section("GPUs", [Paragraph(GPU_NOTE), gpu_table(explanation.gpus)], level=3))
    if explanation.see and explanation.kind != "search":
        parts.append(section(SEE, [Paragraph(", ".join(explanation.see))], level=3))
    if explanation.cites:
        parts.append(section(SOURCES, [sources_list(explanation)], level=3))
    if explanation.links:
        # Addresses are for copying: never wrapped.
        lines = (line for title, url in explanation.links for line in (*wrap(title, _NARROW), f"  {url}"))
        parts.append(section(LINKS, [Plain(tuple(lines), whole=True)], level=3))
    return Page(explanation.title, (made,), tuple(parts))


def _sections(explanation: Explanation) -> Iterator[Section]:
    short: list[Fact] = []
    for name, lines in explanation.sections:
        heading = heading_of(name)
        if explanation.kind == "erratum" and name == "what":
            heading = "Correction"
        if name in _SHORT:
            short.append(Fact(heading, ", ".join(lines)))
            continue
        if short:
            yield section("", [Facts(tuple(short))])
            short = []
        if heading:
            yield section(heading, [section_body(name, lines)], level=3)
        else:
            yield section("", [Paragraph(line) for line in lines])
    if short:
        yield section("", [Facts(tuple(short))])


def heading_of(name: str) -> str:
    """Return the heading of a section of an explanation; empty if it has none."""
    return HEADINGS.get(name, name.replace("_", " ").capitalize())


def sources_list(explanation: Explanation) -> Bullets:
    """Return the cited sources, each with its key."""
    return Bullets(tuple(f"{title} [{key}]" if title else f"[{key}]" for key, title in explanation.cites))


def gpu_table(gpus: tuple[GpuPeaks, ...]) -> Table:
    """Return the table of peaks and ridge points, one GPU per row."""
    rows = []
    for gpu in gpus:
        ridge = dict(gpu.ridge)
        numbers = [_number(gpu.sm_count, 1), _number(gpu.fp32, 1e12), _number(gpu.bandwidth, 1e9)]
        numbers += [_number(gpu.l2_bytes, 2**20), *(_number(ridge.get(peak), 1) for peak in _RIDGES)]
        rows.append((Cell(gpu.id), Cell(gpu.cc, float(gpu.cc)), *numbers))
    return Table(_GPU_COLUMNS, tuple(rows), sortable=True)


def _number(value: float | None, scale: float) -> Cell:
    if value is None:
        return Cell("–")
    shown = value / scale
    return Cell(brief_text(round(shown) if shown >= 1000 else shown), value)


def section_body(name: str, lines: tuple[str, ...]) -> Block:
    """Return the lines of one section: plain, numbered or listed; two leading spaces indent a line further."""
    if name == "exercise":
        return Plain(tuple(f"ncu-advisor practice show {line}" for line in lines), whole=True)
    if name in _WHOLE:
        return Plain(tuple(line.rstrip() for line in lines), whole=True)
    if any(line.startswith("  ") for line in lines):
        return Outline(tuple(Line(line.strip(), depth=int(line.startswith("  "))) for line in lines))
    return Paragraph(lines[0]) if len(lines) == 1 else Bullets(lines, ordered=name == "steps")
