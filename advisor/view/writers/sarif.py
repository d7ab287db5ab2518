"""Write findings as SARIF 2.1.0, so that editors and code review show them on their lines (OASIS, SARIF 2.1.0).

A result is a possible fix in one kernel at one place; a kernel near its limit has none. Data that could not be read
or checked is a notification, since an empty list of results would look as if there were no problem.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from msgspec import Struct, field
from msgspec.structs import replace

from advisor import __version__
from advisor.knowledge.base import Catalog, catalog
from advisor.knowledge.schemas import DiagnosisDef
from advisor.records.diagnosis import ENDS, Diagnosis, Finding, LaunchDiagnosis, Location, first_diagnosis
from advisor.records.escapes import json_text
from advisor.view.numbers import gain_text, number, present, time_text
from advisor.view.pages.launch import SEVERE, location_text
from advisor.view.text import cut, shown

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_MESSAGE = 1000
_NAME = 120


class Seen(Struct, frozen=True):
    """A finding of a kernel to write. id: of the rule, with its entry; report: the file with the finding;
    first: whether it is the first finding there.

    count: launches with the finding; gain: (estimate, low, high) or None; places: the hottest place first.
    """

    id: str
    entry: DiagnosisDef
    kernel: str
    report: str
    text: str
    first: bool
    gain: tuple[float, float, float] | None = None
    places: tuple[Location, ...] = ()
    count: int = 1
    about: dict[str, Any] = field(default_factory=dict)


class Remark(Struct, frozen=True):
    """A remark on the run itself. level: error (not read), warning (partly read) or note (not checked)."""

    level: str
    text: str
    report: str = ""


def diagnosis_sarif(
    diagnosis: Diagnosis,
    knowledge: tuple[Path, ...] = (),
    root: Path | None = None,
    whole: Iterable[LaunchDiagnosis] | None = None,
) -> str:
    """Write a diagnosis as a SARIF log.

    root: the folder for relative paths (default: the current one). whole: the launches, where those of the diagnosis
    are not complete; they are used once.
    """
    cat = catalog(knowledge)
    seen: dict[tuple[str, ...], Seen] = {}
    remarks: list[Remark] = []
    for launch in diagnosis.launches if whole is None else whole:
        first = first_diagnosis(launch)
        for finding in launch.findings:
            if finding.kind != "diagnosis" or finding.id in ENDS:
                continue
            one = _seen(finding, launch, diagnosis, cat, finding is first)
            at = f"{one.places[0].file}:{one.places[0].line}" if one.places else ""
            key = (finding.id, launch.kernel_full, one.report, at)
            before = seen.get(key)
            seen[key] = one if before is None else _both(before, one)
        remarks += _remarks(launch, diagnosis.reports[launch.report].path)
    told = dict.fromkeys((*_problems(diagnosis), *remarks))
    return sarif_log(seen.values(), list(told), root or Path.cwd())


def _both(before: Seen, now: Seen) -> Seen:
    """Merge two findings: the data of a first finding or else of the larger gain, and the sum of the counts."""
    one = max(before, now, key=lambda s: (s.first, s.gain[0] if s.gain else 0.0))
    count = before.count + now.count
    return replace(one, count=count)


def rule_of(cat: Catalog, scope: str, finding: str) -> tuple[str, DiagnosisDef]:
    """Return a rule's id, as for `explain`, and its entry; the same id for kernels and workloads gives two rules."""
    if scope == cat.scope:
        return finding, cat.findings[finding]
    from advisor.knowledge.base import workloads

    return f"{scope}:{finding}", workloads(cat).findings[finding]


def _seen(finding: Finding, launch: LaunchDiagnosis, diagnosis: Diagnosis, cat: Catalog, first: bool) -> Seen:
    gain = finding.speedup
    text = f"{finding.title} in {cut(launch.kernel, _NAME)}: {finding.because}."
    if gain is not None:
        text += f" Estimated speedup of the fix: {gain_text(gain.estimate, gain.low, gain.high)}; {gain.how}."
    if finding.fix is not None:
        text += f" {finding.fix.summary}."
    about = {
        "kernel": cut(shown(launch.kernel_full), _MESSAGE),
        "launch": launch.index,
        "duration": time_text(launch.duration_ns),
        "class": launch.verdict.id,
        "confidence": number(finding.confidence),
    }
    return Seen(
        *rule_of(cat, launch.scope, finding.id),
        launch.kernel_full,
        diagnosis.reports[launch.report].path,
        text,
        first,
        (gain.estimate, gain.low, gain.high) if gain is not None else None,
        finding.locations,
        1,
        about,
    )


def _problems(diagnosis: Diagnosis) -> list[Remark]:
    """Return what could not be read of the reports."""
    read = {launch.report for launch in diagnosis.launches}
    return [
        Remark("warning" if at in read else "error", problem, info.path)
        for at, info in enumerate(diagnosis.reports)
        for problem in info.problems
    ]


def _remarks(launch: LaunchDiagnosis, path: str) -> list[Remark]:
    """Return what makes a launch doubtful, and what is unknown of it."""
    name = f"{cut(launch.kernel, _NAME)}, launch {launch.index}"
    out = [
        Remark("warning", f"{name}: {finding.title}: {finding.because}", path)
        for finding in launch.findings
        if finding.id in SEVERE
    ]
    wanted = sorted({each for lack in launch.missing for each in lack.needed_for})
    if wanted:
        out.append(Remark("note", f"{name}: unknown, not absent: {', '.join(wanted)}", path))
    return out


def sarif_log(seen: Iterable[Seen], remarks: Sequence[Remark], root: Path) -> str:
    """Return the log of one run: rules from the knowledge base, results, and notifications of problems."""
    found = list(seen)
    entries = {one.id: one.entry for one in found}
    ids = list(entries)
    run = {
        "tool": {
            "driver": {
                "name": "ncu-advisor",
                "version": __version__,
                "shortDescription": {"text": "Why a CUDA kernel is slow, and what to fix first"},
                "rules": [_rule(each, entry) for each, entry in entries.items()],
            }
        },
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The working directory of the program"}}},
        "invocations": [
            {
                "executionSuccessful": not any(remark.level == "error" for remark in remarks),
                "toolExecutionNotifications": [_notification(remark, root) for remark in remarks],
            }
        ],
        "results": [_result(one, ids.index(one.id), root) for one in found],
    }
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return json_text(log, indent=1) + "\n"


def plain(text: str) -> str:
    """Escape a message for viewers: no control characters, and nothing that looks like a link."""
    return cut(shown(text), _MESSAGE).replace("](", "] (")


def _rule(name: str, entry: DiagnosisDef) -> dict[str, Any]:
    fix = entry.fix
    steps = list(fix.steps) if fix is not None else []
    parts = [entry.why, *([fix.summary + "."] if fix is not None else []), *(f"- {step}" for step in steps)]
    parts += [f"Costs: {fix.costs}"] if fix is not None and fix.costs else []
    parts += [f"Misleads: {entry.misleads}"] if entry.misleads else []
    help_ = "\n".join(part for part in parts if part) or entry.title
    return {
        "id": name,
        "name": name,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.what or entry.title},
        "help": {"text": help_},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["performance", "cuda", "gpu"], "precision": "high", "problem.severity": "warning"},
    }


def _result(one: Seen, rule: int, root: Path) -> dict[str, Any]:
    first, *others = one.places or (None,)
    where: dict[str, Any] = {"logicalLocations": [_kernel(one.kernel)]}
    where["physicalLocation"] = _physical(first, one.report, root)
    related = [(place.file, place.line, location_text(place)) for place in others if place]
    related += [(call.file, call.line, "inlined here") for call in (first.calls if first is not None else ())]
    digest = hashlib.sha256("\0".join((one.id, one.kernel)).encode("utf-8", "replace")).hexdigest()
    return present(
        {
            "ruleId": one.id,
            "ruleIndex": rule,
            "level": "warning" if one.first else "note",
            "rank": round(100 * (1 - 1 / one.gain[0]), 1) if one.gain is not None and one.gain[0] >= 1 else None,
            "message": {"text": plain(one.text)},
            "locations": [where],
            "relatedLocations": [
                {
                    "id": at,
                    "physicalLocation": {"artifactLocation": _artifact(file, root), "region": {"startLine": line}},
                    "message": {"text": plain(text)},
                }
                for at, (file, line, text) in enumerate(related, 1)
                if file and line > 0
            ]
            or None,
            "occurrenceCount": one.count,
            "partialFingerprints": {"ncuAdvisor/v1": digest},
            "properties": {key: plain(v) if isinstance(v, str) else v for key, v in one.about.items() if v is not None}
            or None,
        }
    )


def _kernel(name: str) -> dict[str, Any]:
    return {"name": plain(cut(name, _NAME)), "fullyQualifiedName": plain(name), "kind": "function"}


def _physical(place: Location | None, report: str, root: Path) -> dict[str, Any]:
    """Return a place with its line; without line information the report, and the address if known."""
    if place is not None and place.file and place.line > 0:
        return {"artifactLocation": _artifact(place.file, root), "region": {"startLine": place.line}}
    address = {"absoluteAddress": place.pc, "kind": "instruction"} if place is not None else None
    return present({"artifactLocation": _artifact(report, root), "address": address})


def _notification(remark: Remark, root: Path) -> dict[str, Any]:
    result: dict[str, Any] = {"level": remark.level, "message": {"text": plain(remark.text)}}
    if remark.report:
        result["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(remark.report, root)}}]
    return result


def _artifact(path: str, root: Path) -> dict[str, Any]:
    """Return a file's location: below the root if its path or the end of it exists there, else its own path.

    A kernel is often compiled in another folder than the reviewed one: the longest end of its path that exists below
    the root is used.
    """
    parts = (PureWindowsPath(path) if "\\" in path or path[1:2] == ":" else PurePosixPath(path)).parts
    names = [part.strip("\\/") for part in parts if part.strip("\\/")]
    plain_names = [name for name in names if name not in ("..", ".") and not name.endswith(":")]
    absolute = path.startswith(("/", "\\")) or path[1:2] == ":"
    for start in range(len(plain_names)):
        below = plain_names[start:]
        if (absolute or start) and _exists(root, below):
            return {"uri": _quoted("/".join(below)), "uriBaseId": _ROOT}
    if absolute:
        return {"uri": f"file:///{_quoted('/'.join(names))}"}
    return {"uri": _quoted("/".join(names)) or "unknown", "uriBaseId": _ROOT}


def _exists(root: Path, names: Sequence[str]) -> bool:
    try:
        return root.joinpath(*names).is_file()
    except (OSError, ValueError):
        return False


def _quoted(path: str) -> str:
    return quote(path, safe="/:" if path[1:2] == ":" else "/", errors="replace")
