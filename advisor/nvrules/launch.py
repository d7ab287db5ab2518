"""Diagnose one launch that NVIDIA's Python interface gives, in Nsight Compute's own interpreter or here.

This module and those that it imports are what `export ncu-rules` writes into the rule's file.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from advisor.hardware.sass_constants import function_marks
from advisor.knowledge.base import Catalog
from advisor.readers.actions import describe, instances, known_instances, local_split_by_code
from advisor.readers.described import launch_of
from advisor.readers.followed import Followed
from advisor.readers.frame import frame, names_wanted
from advisor.readers.marks import from_code, looks, steps_of, texts_of
from advisor.readers.numbers import Packer
from advisor.reasoning.assemble import verdict_and_finding
from advisor.reasoning.conclude import conclude, in_order
from advisor.reasoning.inputs import Inputs
from advisor.records.diagnosis import Finding, Verdict
from advisor.records.readings import ReportInfo
from advisor.source.hotspots import lines, spots
from advisor.source.listing import Listing, listed
from advisor.source.measures import EXECUTED, measure

# A place with a smaller share is not marked, and no more than this many are.
_LEAST_SHARE, _MOST = 0.05, 3


class Mark(Struct, frozen=True):
    """A place in the code. share: of the measure, 0 to 1; file: empty for an instruction, at `place`, its address."""

    file: str
    place: int
    share: float
    measure: str


class Told(Struct, frozen=True):
    """What the rule shows. finding: the first one, None without any; focus: (metric, value, test) of the evidence."""

    verdict: Verdict
    finding: Finding | None
    focus: tuple[tuple[str, float, str], ...] = ()
    marks: tuple[Mark, ...] = ()


def diagnose_action(catalog: Catalog, action: Any) -> Told:
    """Return the first finding of a launch. action: an IAction of ncu_report or of NvRules.

    What only other launches or other parts of a report show is unknown here: the PTX, the build flags in the machine
    code, samples over time, ncu's own rules and earlier launches of the kernel.
    """
    message = described(action, names_wanted(catalog.metrics.values()))
    launch = launch_of(0, message, Packer())
    if launch is None:
        raise ValueError("the launch cannot be read")
    info = ReportInfo("launch", "", "ncu", "ncu-rep")
    concluded = conclude(catalog, Inputs(frame([launch], catalog.metrics), (info,), None, {}))
    first = next(iter(in_order(catalog, concluded, 0)), None)
    verdict, finding = verdict_and_finding(catalog, concluded, 0, first.id if first is not None else None)
    if finding is None:
        return Told(verdict, None)
    values = concluded.observed.values(0)
    return Told(
        verdict, finding, _focus(catalog, launch.values, finding, values), marks(catalog, action, finding, launch.cc)
    )


def described(action: Any, names: list[str]) -> dict[str, Any]:
    """Return the description of a launch from the object alone."""
    message = describe(_Plain(action), names) | {"built": None, "sampling": None}
    local = any(row[0] == "local" for row in message["accesses"] or ())
    if message["local"] is None and local:
        message["local"] = local_split_by_code(action)
    look = looks(message["opcodes"], message["values"], local)
    if any(look):
        executed = known_instances(action, "inst_executed") or {}
        texts = texts_of(action, [pc for pc, count in executed.items() if count])
        if look.marks:
            message["patterns"] |= from_code(action, texts)
            message |= function_marks(texts, executed)
        report = Followed(len(look) * len(texts))
        report.learn("", list(texts.items()))
        message["patterns"] |= report.of(steps_of(action, "", look, executed))
    return message


class _Plain:
    """An action without the results of ncu's rules, which do not exist yet while rules run."""

    def __init__(self, action: Any) -> None:
        self._action = action

    def __getattr__(self, name: str) -> Any:
        return getattr(self._action, name)

    def rule_results_as_dicts(self) -> tuple[()]:
        """Return no results."""
        return ()


def _focus(
    catalog: Catalog, reported: Any, finding: Finding, values: dict[str, float]
) -> tuple[tuple[str, float, str], ...]:
    """Return the metrics of the report that the evidence compares, by ncu's names."""
    out: dict[str, tuple[str, float, str]] = {}
    for one in finding.evidence:
        entry = catalog.metrics.get(one.metric)
        name = next((n for n in (entry.names if entry is not None else ()) if n in reported), None)
        if name is not None and one.holds and one.metric in values:
            out.setdefault(name, (name, float(reported[name][0]), one.says))
    return tuple(out.values())


def marks(catalog: Catalog, action: Any, finding: Finding, cc: str) -> tuple[Mark, ...]:
    """Return the hottest lines for a finding and the hottest instruction of each; empty without counters by address."""
    located = catalog.findings[finding.id].locate
    if not located:
        return ()
    wanted = measure(located)
    tables = {name: instances(action, name) for name in (EXECUTED, *wanted.needs)}
    pcs = sorted({pc for table in tables.values() for pc in table or ()})
    if not pcs or any(table is None for table in tables.values()):
        return ()
    chains = []
    for pc in pcs:
        info = action.source_info(pc)
        chains.append([(info.file_name(), info.line()) if info is not None else ("", 0)])
    columns = {name: [(table or {}).get(pc, 0.0) for pc in pcs] for name, table in tables.items()}
    texts = [str(action.sass_by_pc(pc)).strip() for pc in pcs]
    listing = Listing(listed(pcs, chains, texts, columns, cc, [""] * len(pcs), [0] * len(pcs)), frozenset())
    found = listing.values(wanted)
    hot = spots(listing, found) if found is not None else ()
    named = [Mark(line.file, line.line, line.share, wanted.title) for line in lines(hot)[:_MOST]]
    single = [Mark("", pcs[0] + spot.row.pc, spot.share, wanted.title) for spot in hot[:_MOST]]
    return tuple(mark for mark in (*named, *single) if mark.share >= _LEAST_SHARE)


def told(catalog: Catalog, action: Any) -> dict[str, Any]:
    """Return the words of the rule: kind, title, text, saving (percent of the time, or None), focus and marks.

    kind: OK, OPTIMIZATION or WARNING, as NvRules names them.
    """
    found = diagnose_action(catalog, action)
    first = found.finding
    if first is None:
        return _words("OK", found.verdict.title, found.verdict.because)
    gain = first.speedup
    worth = gain is not None and first.kind == "diagnosis" and gain.estimate > 1
    more = dict.fromkeys(one.says for one in first.evidence if one.holds and one.says not in first.because)
    said = [first.because, *more]
    if gain is not None and worth:
        said.append(f"Estimated speedup {gain.estimate:.2g}x ({gain.low:.2g} to {gain.high:.2g}x)")
    if first.fix is not None:
        said.append(f"Fix: {first.fix.summary}")
    kind = "OPTIMIZATION" if first.kind == "diagnosis" else "WARNING"
    words = _words(kind, first.title, " ".join(map(_sentence, filter(None, said))))
    words["finding"] = first.id
    words["saving"] = 100 * (1 - 1 / gain.estimate) if gain is not None and worth else None
    words["focus"] = found.focus
    words["marks"] = [
        (mark.file, mark.place, f"{first.title}: {100 * mark.share:.0f} % of {mark.measure}") for mark in found.marks
    ]
    words["estimate"] = gain.estimate if gain is not None else None
    return words


def _sentence(text: str) -> str:
    """Return a text as a sentence; `@` begins a link in ncu's messages."""
    plain = text.strip().rstrip(".").replace("@", " at ")
    return f"{plain[:1].upper()}{plain[1:]}."


def _words(kind: str, title: str, text: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "title": title,
        "text": text,
        "saving": None,
        "focus": (),
        "marks": [],
        "finding": "",
        "estimate": None,
    }
