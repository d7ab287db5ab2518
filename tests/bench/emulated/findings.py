"""Compare the first finding of emulated launches with that of the recorded profiles.

    python -m tests.bench.emulated.findings [--seconds S] [--jobs N] [EXERCISE…]

A cause can be concluded from counts if the knowledge base has a rule for it that reads `counts_alone`. Of the launches
whose profile has such a cause first, by a rule that reads an observation of such a rule, the same one should come first
by emulation. Every difference has its reason.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from advisor.emulator.counts import count
from advisor.emulator.report import read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.knowledge.base import catalog
from advisor.practice import emulated, manifest
from advisor.practice.validation import each, launches_of, problem_of, recorded_names
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.emulated_counts import emulated_document
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import AdvisorError
from tests.bench.emulated.options import parser

SECONDS = 20.0


def counted_rules() -> dict[str, frozenset[str]]:
    """Return the diagnoses that some rule concludes from counts alone, and the observations that name them there."""
    out = {}
    for entry in catalog().diagnoses.values():
        rules = [set(r.when) for r in entry.seen if "counts_alone" in r.when]
        if entry.kind == "diagnosis" and rules:
            read = set.union(*rules) - {"counts_alone"}
            out[entry.id] = frozenset(name for name in read if not name.startswith("avoidable_"))
    return out


def shown_by_counts(launch: LaunchDiagnosis, known: dict[str, frozenset[str]]) -> bool:
    """Return whether the rules that concluded the first cause read what counts show."""
    first = next((f for f in launch.findings if f.kind == "diagnosis" and f.id != "unexplained"), None)
    if first is None or first.id not in known:
        return False
    read = {name for r in catalog().diagnoses[first.id].seen if r.id in first.rules for name in r.when}
    return bool(read & known[first.id])


def causes(launch: LaunchDiagnosis) -> list[str]:
    """Return the causes of a launch, the first to fix first."""
    return [f.id for f in launch.findings if f.kind == "diagnosis" and f.id != "unexplained"]


def reason(real: list[str], found: list[str], by_counts: bool) -> str:
    """Say why the first findings differ."""
    first = real[0] if real else ""
    if not by_counts:
        return f"time shows {first or 'no cause'}" + (f"; by counts {found[0]} is possible" if found else "")
    if first not in found:
        return "too little avoidable work by counts" + (f"; first by counts: {found[0]}" if found else "")
    return f"more avoidable work by counts: {found[0]}"


def compared(seconds: float, name: str) -> list[tuple[str, str]]:
    """Return (kind of result, line) of each recorded launch of an exercise."""
    known, out = counted_rules(), []
    record = manifest.recording(manifest.exercise(name))
    assert record is not None
    profiles = {one.index: one for one in analyse([record.report]).diagnosis.launches}
    made = emulated.bench(
        manifest.case(name), record.record.card, record.record.sizes, recorded_seed=record.record.seed
    )
    with unpacked(record.report) as report:
        for launch, step, index in launches_of(name):
            try:
                code = read_launch(report, launch).program
                counted = count(problem_of(name, step, index, code, made), seconds=seconds)
            except (AdvisorError, FaultError) as e:
                out.append(("refused", f"{name}#{launch} refused: {e}"))
                continue
            found = [one.id for one in emulated_document(counted, record.record.card.name).findings]
            real, by_counts = causes(profiles[launch]), shown_by_counts(profiles[launch], known)
            first = (real or [""])[0], (found or [""])[0]
            if by_counts:
                kind = "same" if first[0] == first[1] else "other"
            elif not first[1]:
                kind = "none by counts, as it should be"
            else:
                kind = "possible by counts, not first by time"
            why = "same" if first[0] == first[1] else reason(real, found, by_counts)
            words = (first[0] or "none", first[1] or "none")
            out.append((kind, f"{name}#{launch} profile {words[0]} · emulation {words[1]} · {why}"))
    return out


def main() -> None:
    """Print a line for each launch and the sums."""
    given = parser(SECONDS).parse_args()
    sums: Counter[str] = Counter()
    for rows in each(partial(compared, given.seconds), given.names or recorded_names(), given.jobs):
        for kind, line in rows:
            sums[kind] += 1
            print(line, flush=True)
    print(f"first finding by counts: {sums['same']} of {sums['same'] + sums['other']} the same; {dict(sums)}")


if __name__ == "__main__":
    main()
