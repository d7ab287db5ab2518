"""How right the findings are on other people's reports: `python -m tests.bench.strangers FOLDER [--half tuning]`.

FOLDER holds the files that `tests/data/strangers.yaml` names by their digests; what is not there is counted and left
out. Prints, for the chosen half: how often the first finding (and one of the first three) is an accepted one, by the
kind of truth, the set of sections and the architecture; how often a misleading one came first; how right findings are
by their confidence; how many measured gains lie in the stated range; and, of all launches over 10 us in these files
(each kernel of a file once), how many end unexplained, by the set of sections.

The halves are fixed by the digest, so all launches of a file are in one half. Rules are changed with a look at the
misses of the tuning half only; `--misses` does not show those of the held-back one.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from msgspec import Struct

from advisor.records.diagnosis import Finding, LaunchDiagnosis, overriding
from advisor.records.errors import AdvisorError
from advisor.records.quantities import confidence_text

TRUTH: Final = Path(__file__).parents[1] / "data" / "strangers.yaml"
HALVES: Final = ("tuning", "held-back")
LEAST_NS: Final = 10_000.0
Entry = Mapping[str, Any]


class Row(Struct, frozen=True):
    """An entry and what was found. found: ids in order, without `unexplained`; why: of a file that gave no launch."""

    entry: Entry
    found: tuple[str, ...] = ()
    confidence: str = ""
    class_id: str = ""
    low: float | None = None
    high: float | None = None
    missing_trust: tuple[str, ...] = ()
    why: str = ""

    @property
    def right(self) -> bool:
        """Whether the first finding is accepted; without any, whether the class or `unexplained` is."""
        if self.found:
            return self.found[0] in self.entry["accepted"]
        return bool({self.class_id or "undetermined", "unexplained"} & {*self.entry["accepted"]})

    @property
    def agrees(self) -> bool:
        """Whether the first finding, or the class without any, is accepted or one that may `also` come first."""
        first = {self.found[0]} if self.found else {self.class_id or "undetermined", "unexplained"}
        return self.right or bool(first & {*self.entry.get("also", ())})

    @property
    def near(self) -> bool:
        """Whether an accepted finding is among the first three, or the class is accepted."""
        return self.right or bool({*self.found[:3], self.class_id} & {*self.entry["accepted"]})

    @property
    def misleads(self) -> bool:
        """Whether a wrong finding comes first."""
        return bool(self.found) and self.found[0] in self.entry.get("wrong", ())


def half_of(digest: str) -> str:
    """The half that a file belongs to, by the last hex digit of its digest."""
    return HALVES[int(digest[-1], 16) % 2]


def digest_of(path: Path) -> str:
    """The first 16 hex digits of the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def findings_of(launch: LaunchDiagnosis) -> tuple[Finding, ...]:
    """The diagnoses of a launch, the first one first; before them a finding that overrides all others."""
    first = overriding(launch)
    return (*([first] if first else []), *(f for f in launch.findings if f.kind == "diagnosis" and f is not first))


def judged(entry: Entry, launch: LaunchDiagnosis) -> Row:
    """An entry beside the diagnosis of its launch."""
    found = findings_of(launch)
    trusted = {f.id for f in launch.findings}
    accepted = next((f for f in found if f.id in entry["accepted"]), None)
    gain = accepted.speedup if accepted is not None else None
    return Row(
        entry,
        tuple(f.id for f in found if f.id != "unexplained"),
        confidence_text(found[0].confidence) if found else "",
        launch.verdict.id,
        gain.low if gain is not None else None,
        gain.high if gain is not None else None,
        tuple(one for one in entry.get("trust", ()) if one not in trusted),
    )


def share(rows: Sequence[Row], what: str) -> str:
    """`12 of 20 (60 %)` rows with this property."""
    hits = sum(1 for row in rows if getattr(row, what))
    return f"{hits:3} of {len(rows):3} ({hits / len(rows):4.0%})" if rows else "-"


def outside(rows: Iterable[Row]) -> list[Row]:
    """Return the rows whose measured gain is outside the stated range."""
    out = []
    for row in rows:
        gain = row.entry.get("gain")
        if gain and row.low is not None and row.high is not None and not row.low <= gain <= row.high:
            out.append(row)
    return out


def table(rows: Sequence[Row]) -> Iterable[str]:
    """The lines of the table of a half."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups["all"].append(row)
        if row.entry.get("sure", True):
            groups["sure"].append(row)
        for key in ("truth", "set", "arch"):
            if key in row.entry:
                groups[f"{key} {row.entry[key]}"].append(row)
        if row.confidence:
            groups[f"confidence {row.confidence}"].append(row)
    yield f"{'':<24} {'first right':<18} {'among three':<18} misleading first"
    for name in sorted(groups, key=lambda one: (one not in ("all", "sure"), one)):
        part = groups[name]
        yield f"{name:<24} {share(part, 'right'):<18} {share(part, 'near'):<18} {share(part, 'misleads')}"
    gains = [row for row in rows if row.entry.get("gain") and row.low is not None and row.high is not None]
    yield f"measured gains inside the stated range: {len(gains) - len(outside(gains))} of {len(gains)}"
    if any(row.entry.get("truth") == "reader" for row in rows):
        apart = [row for row in rows if not row.right]
        yield f"first finding is the reader's or one that the reader also names: {share(rows, 'agrees').strip()}"
        yield f"other than the reader's first: {len(apart)}; {sum('argued' in r.entry for r in apart)} are argued"
    untold = [row for row in rows if row.missing_trust]
    yield f"entries with a caveat that was not said: {len(untold)} of {sum(1 for r in rows if r.entry.get('trust'))}"


def misses_of(rows: Iterable[Row]) -> Iterable[str]:
    """The lines of each miss of the tuning half, with its argument; those of the held-back half are not shown."""
    for row in rows:
        if not row.right and half_of(row.entry["digest"]) == "tuning":
            yield f"- {row.entry['file']} [{row.entry.get('launch', '')}] {row.entry.get('kernel', '')[:60]}"
            yield f"    {row.entry['set']}, {row.entry['truth']}; accepted {row.entry['accepted']}"
            yield f"    found {row.found[:4]} ({row.confidence}) class {row.class_id} {row.why}"
            if "argued" in row.entry:
                yield f"    {row.entry['argued']}"


def unexplained(launches: Iterable[tuple[str, str, LaunchDiagnosis]]) -> Iterable[str]:
    """Lines: of the distinct kernels of a file over 10 us, those that end unexplained or undecided, by set of sections.

    launches: set of sections, file, launch. A kernel counts if any of its launches ends so.
    """
    seen: dict[str, dict[tuple[str, str], list[LaunchDiagnosis]]] = defaultdict(lambda: defaultdict(list))
    for name, file, launch in launches:
        if (launch.duration_ns or 0.0) >= LEAST_NS:
            seen[name][file, launch.kernel].append(launch)
    for name, kernels in sorted(seen.items()):
        blank = [[one for one in of if is_blank(one)] for of in kernels.values()]
        count = sum(map(bool, blank))
        told = sum(1 for of in blank if of and all(one.deciding for one in of))
        yield f"unexplained, {name:<10} {count:3} of {len(kernels):3} kernels over 10 us; {told} say what would decide"


def is_blank(launch: LaunchDiagnosis) -> bool:
    """Whether a launch ends without a diagnosis."""
    ids = [f.id for f in findings_of(launch)]
    return not ids or ids[0] == "unexplained"


def run(folder: Path, half: str, misses: bool, truth: Path = TRUTH) -> int:
    """Print the tables of a half of the files in a folder; return 1 if none of them is there."""
    from advisor import diagnose
    from advisor.timeline.analyse import analyse

    entries: list[Entry] = yaml.safe_load(truth.read_text(encoding="utf-8"))
    by_file: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if half in ("all", half_of(entry["digest"])):
            by_file[entry["file"]].append(entry)
    rows: list[Row] = []
    launches: list[tuple[str, str, LaunchDiagnosis]] = []
    absent, refused = 0, []
    for file, wanted in sorted(by_file.items()):
        path = folder / file
        if not path.is_file() or digest_of(path) != wanted[0]["digest"]:
            absent += 1
            continue
        kind = wanted[0].get("kind", "launch")
        try:
            if kind == "timeline":
                result = analyse([path])
                found = tuple(p.id for gpu in result.gpus for p in gpu.patterns)
                rows += [Row(entry, found) for entry in wanted]
                continue
            diagnosis = diagnose(path)
        except AdvisorError as problem:
            refused.append(f"{file}: {problem}")
            rows += [Row(entry, why=str(problem)) for entry in wanted if kind != "negative"]
            continue
        if kind == "negative":
            continue
        launches += [(wanted[0]["set"], file, launch) for launch in diagnosis.launches]
        at = {launch.index: launch for launch in diagnosis.launches}
        for entry in wanted:
            launch = at.get(entry["launch"])
            rows.append(Row(entry, why="no such launch") if launch is None else judged(entry, launch))
    if not rows:
        print(f"{folder}: none of the files of {truth.name} is there", file=sys.stderr)
        return 1
    print(f"half: {half}; {len(by_file) - absent} files, {len(rows)} entries; {absent} files are not there")
    print(*table(rows), *unexplained(launches), sep="\n")
    print(f"refused with a message: {len(refused)} files")
    if misses:
        print(*misses_of(rows), sep="\n")
        for row in outside(row for row in rows if half_of(row.entry["digest"]) == "tuning"):
            print(f"- gain {row.entry['gain']:g} outside {row.low:.2f} to {row.high:.2f}: {row.entry['file']}", end="")
            print(f" [{row.entry.get('launch', '')}] {row.entry.get('kernel', '')[:60]}, found {row.found[:1]}")
        print(*refused, sep="\n")
    return 0


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="tuning")
    parser.add_argument("--misses", action="store_true", help="list the misses of the tuning half")
    parser.add_argument("--truth", type=Path, default=TRUTH, help="the entries (default: strangers.yaml)")
    given = parser.parse_args()
    return run(given.folder, given.half, given.misses, given.truth)


if __name__ == "__main__":
    sys.exit(main())
