"""An explanation as text for the terminal."""

from __future__ import annotations

from advisor.explain.entries import Explanation
from advisor.view.text import paint, wrap

KINDS = {
    "diagnosis": "finding",
    "trust": "warning about the numbers",
    "pattern": "pattern of a timeline",
    "workload": "diagnosis of a graphics or compute workload",
    "class": "class of a launch",
    "decision": "what to do next after a timeline",
    "stall": "stall reason",
    "opcode": "instruction",
    "step": "step of the method",
    "ncu_rule": "rule of Nsight Compute",
    "algorithm": "algorithm of the napkin",
    "gpu": "GPU",
    "unit": "term of the time model",
    "dtype": "data type",
    "erratum": "correction",
    "search": "search",
    "rule": "rule",
    "fix": "fix",
}
HEADINGS = {
    "kinds": "Ask for one of these, or for any word in them",
    "hits": "Nothing has this name. These entries tell of it",
    "says": "A source says",
    "what": "",
    "means": "",
    "why": "Why",
    "rules": "Concluded when",
    "explains": "Symptoms that give way to it",
    "test": "Test",
    "partition": "One of the group",
    "thresholds": "Judged by",
    "used_by": "Used by",
    "misleads": "How it misleads",
    "points": "In detail",
    "look": "Look at",
    "fix": "Fix",
    "steps": "Steps",
    "cure": "Cure",
    "typical": "Typical gain",
    "costs": "What it costs",
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
    "next": "Look next at",
    "facts": "Card",
    "peaks": "Peaks",
    "limits": "An SM holds",
    "note": "Note",
    "fires": "Found, for example, at",
    "silent": "Not found at",
    "exercise": "Exercise",
    "found_by": "Found in a report as",
    "told_by": "Told with",
    "modifiers": "As written",
    "corrections": "Corrected",
    "derivation": "Derivation",
    "parameters": "Parameters",
    "flop": "FLOP",
    "bytes": "Least bytes",
    "places": "Places",
    "pipe": "Pipe",
    "pipe_on": "Elsewhere",
    "kind": "Work",
    "flops": "Operations a lane",
    "counts": "Counted in",
    "traps": "Traps",
    "leads_to": "Leads to",
    "healthy": "When it is healthy",
    "matrix": "Has the shape of a matrix product",
    "let": "With",
    "require": "Holds for",
}
_VERBATIM = ("commands", "collect", "names", "test", "formula")
_CODE = ("code", "before", "after")  # as it stands, indentation included
# Short facts share a paragraph: `Pipe: lsu`.
_SHORT = ("pipe", "kind", "space", "access", "flops", "counts", "unit", "partition", "size", "sets", "matrix", "metric")
_CORRECTED = "What is right"
_NUMBERED = ("steps",)
SOURCES = "Sources"
SEE = "See also"


def _heading(name: str, kind: str) -> str:
    if kind == "erratum" and name == "what":
        return _CORRECTED
    return HEADINGS.get(name, name.replace("_", " ").capitalize())


def _body(name: str, lines: tuple[str, ...], width: int) -> list[str]:
    """The lines of one section: numbered, listed, or as they are; a line that begins with two spaces hangs deeper."""
    out: list[str] = []
    several = sum(not line.startswith("  ") for line in lines) > 1
    number = 0
    for line in lines:
        if name in _CODE:
            out.append(f"  {line}".rstrip())
            continue
        inner = line.startswith("  ")
        text = line.strip()
        if name in _VERBATIM:
            out.append(f"  {text}")
            continue
        if name == "exercise":
            text = f"ncu-advisor practice show {text}"
        mark = ""
        if not inner and several:
            number += 1
            mark = f"{number}. " if name in _NUMBERED else "- "
        indent = 6 if inner else 2
        out += wrap(mark + text, width, indent, indent + (2 if inner else len(mark)))
    return out


def explain_text(explanation: Explanation, width: int = 80, colour: bool = False) -> str:
    """The explanation as lines of at most `width` columns; commands and formulas are never broken."""
    kind = KINDS.get(explanation.kind, explanation.kind.replace("_", " "))
    out = [paint(line, "bold", colour) for line in wrap(explanation.title, width)]
    named = explanation.title == explanation.id
    out.append(paint(kind if named else f"{explanation.id} ({kind})", "dim", colour))
    before = ""
    for name, lines in explanation.sections:
        heading = _heading(name, explanation.kind)
        if not (before in _SHORT and name in _SHORT):
            out.append("")
        before = name
        if name in _SHORT:
            rows = wrap(f"{heading}: {', '.join(lines)}", width, 0, 2)
            out += [paint(rows[0].partition(":")[0], "cyan", colour) + rows[0][len(heading) :], *rows[1:]]
        elif heading:
            out.append(paint(heading, "cyan", colour))
            out += _body(name, lines, width)
        else:
            out += [row for line in lines for row in wrap(line, width)]
    if explanation.see and explanation.kind != "search":
        out += ["", paint(SEE, "cyan", colour), *wrap(", ".join(explanation.see), width, 2)]
    if explanation.cites:
        out += ["", paint(SOURCES, "cyan", colour)]
        for key, title in explanation.cites:
            out += wrap(f"{title} [{key}]" if title else f"[{key}]", width, 2, 4)
    return "\n".join(out) + "\n"
