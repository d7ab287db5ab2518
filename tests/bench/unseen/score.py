"""Scores the unseen launches: `python -m tests.bench.unseen.score FOLDER [--json] [--causes FILE] [--set default]`.

FOLDER is what unseen.sh left: times.json, profiled-*.json and the reports that they name (.ncu-rep, or packed). Every
launch is diagnosed with the answers of its entry in causes.yaml, and its first diagnosis is held against the written
cause.

With `--set` the reports keep only the metrics of a smaller set of ncu: how right is what a default profile shows?

A finding without a told gain on a healthy kernel is wrong, as nobody could tell that it is small; it is a false alarm
too unless it says that the search ends. Calibration is as in tests/bench/calibration.py, of the finding that names the
written cause, at whatever place; pairs with a wrong result are left out.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from advisor.records.diagnosis import ENDS
from advisor.records.errors import AdvisorError, InputError

from .. import calibration
from ..thin import SETS, write_thin
from .launches import Entry, located, read_json

if TYPE_CHECKING:
    from advisor.records.diagnosis import Finding, LaunchDiagnosis

CAUSES = Path(__file__).parent / "causes.yaml"
RIGHT, WRONG, NOT_RUN = "right", "wrong", "not run"
# The advisor's own bar: what gains less than 5 % is no finding of its but a note. A cause that costs less was not one.
LEAST_GAIN = 1.05


@dataclass(frozen=True)
class Row:
    """One launch judged. Gains are old time over new; None where nobody tells them or nothing was measured.

    first, gain: the first diagnosis; place: of the written cause among the diagnoses, from 1, 0 where it was not found;
    told, low, high: what its fix was told to give; measured: what the cured twin gave; ncu, rule: the largest estimate
    of ncu's rules; error: the error factor of told (1 where the cause was not found) against measured; right_result:
    whether both twins' outputs were; found: all diagnoses with their gains; why: what kept it from running; doubts:
    why the written cause may not be the truth.
    """

    id: str
    part: str
    healthy: bool
    expected: tuple[str, ...]
    verdict: str
    first: str = ""
    gain: float | None = None
    place: int = 0
    told: float | None = None
    low: float | None = None
    high: float | None = None
    measured: float | None = None
    error: float | None = None
    ncu: float = 1.0
    rule: str = ""
    right_result: bool = True
    false_alarm: bool = False
    found: tuple[tuple[str, float | None], ...] = ()
    why: str = ""
    doubts: tuple[str, ...] = ()


def expected(entry: Entry) -> tuple[str, ...]:
    """The diagnoses of which one must come first; of a healthy kernel those that may."""
    named = entry["accept"] if entry.get("healthy") else entry["cause"]
    return (named,) if isinstance(named, str) else tuple(named)


def score(folder: Path, causes: Path = CAUSES) -> list[Row]:
    """All entries of the causes file judged, in its order. InputError, one line, for a folder that is none."""
    from advisor.knowledge.base import catalog
    from advisor.reasoning.analysis import Analysis
    from advisor.reasoning.enrich import add_neighbours
    from advisor.reasoning.inputs import Inputs, checked_answers

    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; give the one that unseen.sh filled")
    try:
        entries: list[Entry] = yaml.safe_load(causes.read_text())["launches"]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise InputError(f"{causes}: no causes file: {' '.join(str(error).split())}") from None
    times = read_json(folder / "times.json") if (folder / "times.json").exists() else {}
    frame, infos, at, why = located(folder, entries)
    launches: dict[str, LaunchDiagnosis] = {}
    if at:
        known = catalog()
        given = {at[e["id"]]: checked_answers(known, e["answers"]) for e in entries if e["id"] in at and "answers" in e}
        analysis = Analysis(known, Inputs(add_neighbours(frame), infos, None, given))
        launches = {name: analysis.diagnosis.launches[row] for name, row in at.items()}
    return [
        judged(e, times.get(e["id"], {}), launches[e["id"]], frame["rules"][at[e["id"]]])
        if e["id"] in launches
        else _unjudged(e, times.get(e["id"], {}), why[e["id"]])
        for e in entries
    ]


def _unjudged(entry: Entry, times: Mapping[str, Any], why: str) -> Row:
    if "broken" in times:
        why = f"failed while it was timed: {times['broken']}"
    healthy = bool(entry.get("healthy"))
    return Row(entry["id"], entry["part"], healthy, expected(entry), NOT_RUN, why=why, doubts=doubts(entry, times))


def _gain(finding: Finding | None) -> float | None:
    return finding.speedup.estimate if finding is not None and finding.speedup is not None else None


def judged(entry: Entry, times: Mapping[str, Any], launch: LaunchDiagnosis, rules: Iterable[Any] = ()) -> Row:
    """The diagnosis of an entry's launch against what is written; times: its part of times.json."""
    found = [f for f in launch.findings if f.kind == "diagnosis"]
    first, wanted = (found[0] if found else None), expected(entry)
    right, alarm = first is not None and first.id in wanted, False
    if entry.get("healthy"):
        gain = _gain(first)
        right = right or first is None or (gain is not None and gain <= entry["max_gain"])
        alarm = not right and first is not None and first.id not in ENDS
    place = next((i for i, f in enumerate(found, 1) if f.id in wanted), 0)
    told = found[place - 1].speedup if place else None
    measured = times.get("speedup") if "cured" in entry else None
    best = max((r for r in rules or () if r.speedup), key=lambda r: r.speedup, default=None)
    return Row(
        id=entry["id"],
        part=entry["part"],
        healthy=bool(entry.get("healthy")),
        expected=wanted,
        verdict=RIGHT if right else WRONG,
        first=first.id if first is not None else "",
        gain=_gain(first),
        place=place,
        told=told.estimate if told is not None else None,
        low=told.low if told is not None else None,
        high=told.high if told is not None else None,
        measured=measured,
        error=calibration.factor(told.estimate if told is not None else 1.0, measured) if measured else None,
        ncu=best.speedup if best is not None else 1.0,
        rule=best.id if best is not None else "",
        right_result=not {"wrong_slow", "wrong_cured"} & set(times),
        false_alarm=alarm,
        found=tuple((f.id, _gain(f)) for f in found),
        doubts=doubts(entry, times),
    )


def doubts(entry: Entry, times: Mapping[str, Any]) -> tuple[str, ...]:
    """Why what is written of an entry may not be the truth."""
    from advisor.reasoning.time_model.noise import spread, verdict

    out = [f"{w} result is wrong: {times[f'wrong_{w}']}" for w in ("slow", "cured") if f"wrong_{w}" in times]
    gain = times.get("speedup") if "cured" in entry else None
    if gain is not None:
        slow, cured = ([1e6 * ms for ms in times.get(f"{which}_runs", ())] for which in ("slow", "cured"))
        visible = not slow or not cured or verdict(spread(slow), spread(cured)).word == "faster"
        if gain < LEAST_GAIN or not visible:
            noise = "" if visible else ", not beyond the noise"
            out.append(f"the cured twin is {gain:.2f} times as fast{noise}: the written cause did not cost time")
    return tuple(out)


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts: [right, judged] of all, of each part and of those without doubts; false alarms of healthy kernels."""
    ran = [r for r in rows if r.verdict != NOT_RUN]
    groups = {"all": ran, "without doubts": [r for r in ran if not r.doubts]}
    groups |= {part: [r for r in ran if r.part == part] for part in dict.fromkeys(r.part for r in rows)}
    counts = {title: [sum(r.verdict == RIGHT for r in of), len(of)] for title, of in groups.items()}
    healthy = [r for r in ran if r.healthy]
    return {
        "right": counts,
        "not_run": len(rows) - len(ran),
        "false_alarms": [sum(r.false_alarm for r in healthy), len(healthy)],
        "doubtful": [r.id for r in rows if r.doubts],
    }


def figures(rows: Sequence[Row]) -> dict[str, dict[str, calibration.Figures]]:
    """Figures of the advisor and of ncu over the cured pairs that ran and were right."""
    cured = [r for r in rows if r.measured and r.verdict != NOT_RUN and r.right_result]
    groups = {
        "all cured pairs": cured,
        "cause found first": [r for r in cured if r.place == 1],
        "without doubts": [r for r in cured if not r.doubts],
    }
    return {
        title: {
            "advisor": calibration.figures([_pair(r) for r in of], lambda p: p.predicted, ranges=True),
            "ncu": calibration.figures([_pair(r) for r in of], lambda p: p.ncu),
        }
        for title, of in groups.items()
        if of
    }


def _pair(r: Row) -> calibration.Pair:
    told, wanted = r.told or 1.0, "/".join(r.expected)
    names = {"exercise": r.id, "half": "", "step": "slow", "finding": wanted, "by": "cured", "but": ""}
    numbers = {"place": r.place, "measured": r.measured, "predicted": told, "low": r.low, "high": r.high}
    return calibration.Pair(**names, **numbers, ncu=r.ncu, rule=r.rule)


def _number(value: float | None) -> str:
    return f"{value:.2f}" if value is not None else "-"


def _verdict(r: Row) -> str:
    doubt = " ?" if r.doubts else ""
    if r.verdict != WRONG:
        return r.verdict + doubt
    if r.healthy:
        return ("wrong, false alarm" if r.false_alarm else "wrong") + doubt
    cause = f"the cause is number {r.place}, told {_number(r.told)}" if r.place else "the cause is not found"
    return f"wrong, {cause}{doubt}"


def table(rows: Sequence[Row]) -> list[str]:
    """The lines of the table and what stands below it."""
    head = f"{'id':20} {'expected':36} {'first finding':28} {'told':>6} {'cured':>6} {'error':>6}  verdict"
    lines = [head]
    for r in rows:
        wanted = ("healthy: " if r.healthy else "") + "/".join(r.expected)
        numbers = " ".join(f"{_number(v):>6}" for v in (r.gain, r.measured, r.error))
        first = r.first or ("-" if r.verdict == NOT_RUN else calibration.NOTHING)
        lines.append(f"{r.id:20} {wanted:36} {first:28} {numbers}  {_verdict(r)}")
    lines.append(
        "told: gain of the first finding; cured: measured gain of the cured twin; error: of what the cause told"
    )
    for title, of in (
        ("wrong, and what was found", [(r.id, _found(r)) for r in rows if r.verdict == WRONG]),
        ("not run", [(r.id, r.why) for r in rows if r.verdict == NOT_RUN]),
        ("?  the truth is doubtful", [(r.id, "; ".join(r.doubts)) for r in rows if r.doubts]),
    ):
        if of:
            lines += ["", f"{title}:", *(f"  {name:20} {what}" for name, what in of)]
    return [*lines, "", *_summary(totals(rows))]


def _found(r: Row) -> str:
    return ", ".join(f"{name} {_number(gain)}" for name, gain in r.found)


def _summary(counts: Mapping[str, Any]) -> list[str]:
    parts = {k: v for k, v in counts["right"].items() if k != "all"}
    right, ran = counts["right"]["all"]
    alarms, healthy = counts["false_alarms"]
    return [
        f"right: {right} of {ran}" + (f" ({counts['not_run']} not run)" if counts["not_run"] else ""),
        "  " + "; ".join(f"{title}: {n} of {m}" for title, (n, m) in parts.items()),
        f"false alarms: {alarms} of {healthy} healthy library kernels",
    ]


def _thinned(folder: Path, to: Path, sections: tuple[str, ...]) -> Path:
    """Copy what unseen.sh left, its reports with the metrics of these sections alone."""
    for path in folder.glob("*.json"):
        shutil.copyfile(path, to / path.name)
    for path in folder.glob("*.ncu-rep*"):
        write_thin(path, sections, to / f"{path.name.partition('.')[0]}.ncu-rep")
    return to


def main() -> int:
    """Print the table, or all of it as JSON."""
    parser = argparse.ArgumentParser(prog="score", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--causes", type=Path, default=CAUSES)
    parser.add_argument("--set", choices=sorted(SETS), dest="chosen", help="keep only the metrics of this set of ncu")
    given = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as thin:
            folder = given.folder if given.chosen is None else _thinned(given.folder, Path(thin), SETS[given.chosen])
            rows = score(folder, given.causes)
    except AdvisorError as error:
        print(f"score: {error}", file=sys.stderr)
        return error.exit_code
    if given.json:
        of = {title: {who: asdict(f) for who, f in by.items()} for title, by in figures(rows).items()}
        print(json.dumps({"launches": [asdict(r) for r in rows], "totals": totals(rows), "figures": of}, indent=1))
        return 0
    print("\n".join(table(rows)))
    if of := figures(rows):
        calibration._print_figures(of)
    return 0


if __name__ == "__main__":
    sys.exit(main())
