"""An explanation as a page: the definition first, then its parts, related entries and sources."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.explain.entries import Explanation
from advisor.view.blocks import Block, Bullets, Fact, Facts, Line, Outline, Page, Paragraph, Plain, Section, section

KINDS = {
    "diagnosis": "finding",
    "trust": "caveat about the numbers",
    "pattern": "timeline pattern",
    "workload": "diagnosis of a graphics or compute workload",
    "class": "class of a launch",
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
    "before": "Before",
    "after": "After",
    "exit": "Done when",
    "when": "When",
    "formula": "Formula",
    "example": "Example",
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
_WHOLE = ("commands", "collect", "names", "test", "formula", "code", "before", "after", "exercise")
# Short facts share a paragraph: `Pipe  lsu`.
_SHORT = ("pipe", "kind", "space", "access", "flops", "counts", "unit", "partition", "size", "sets", "matrix", "metric")
SOURCES = "Sources"
SEE = "See also"


def explain_page(explanation: Explanation) -> Page:
    """Build the page."""
    kind = KINDS.get(explanation.kind, explanation.kind.replace("_", " "))
    named = explanation.title == explanation.id
    made = Paragraph(kind if named else f"{explanation.id} ({kind})", "dim")
    parts = list(_sections(explanation))
    if explanation.see and explanation.kind != "search":
        parts.append(section(SEE, [Paragraph(", ".join(explanation.see))], level=3))
    if explanation.cites:
        cites = (f"{title} [{key}]" if title else f"[{key}]" for key, title in explanation.cites)
        parts.append(section(SOURCES, [Bullets(tuple(cites))], level=3))
    return Page(explanation.title, (made,), tuple(parts))


def _sections(explanation: Explanation) -> Iterator[Section]:
    short: list[Fact] = []
    for name, lines in explanation.sections:
        heading = HEADINGS.get(name, name.replace("_", " ").capitalize())
        if explanation.kind == "erratum" and name == "what":
            heading = "Correction"
        if name in _SHORT:
            short.append(Fact(heading, ", ".join(lines)))
            continue
        if short:
            yield section("", [Facts(tuple(short))])
            short = []
        if heading:
            yield section(heading, [_body(name, lines)], level=3)
        else:
            yield section("", [Paragraph(line) for line in lines])
    if short:
        yield section("", [Facts(tuple(short))])


def _body(name: str, lines: tuple[str, ...]) -> Block:
    """Return the lines of one section: plain, numbered or listed; two leading spaces indent a line further."""
    if name == "exercise":
        return Plain(tuple(f"ncu-advisor practice show {line}" for line in lines), whole=True)
    if name in _WHOLE:
        return Plain(tuple(line.rstrip() for line in lines), whole=True)
    if any(line.startswith("  ") for line in lines):
        return Outline(tuple(Line(line.strip(), depth=int(line.startswith("  "))) for line in lines))
    return Paragraph(lines[0]) if len(lines) == 1 else Bullets(lines, ordered=name == "steps")
