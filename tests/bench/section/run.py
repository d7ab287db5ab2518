"""Each exercise's first step, profiled with ncu's full set and with our section: passes, time and first finding.

`python -m tests.bench.section.run OUTDIR [--only NAME ...] [--group 9] [--clock-control none] [--limit SECONDS]
[--ncu PATH]` needs CuPy and ncu. OUTDIR gets NcuAdvisor.section, a pair of reports for each group of exercises, and
`section.json`, which is written after each group, so that a run that is cut off goes on where it ended. Time is from
ncu's first sign of a launch to its last, the child's own work left out. Ends with 1 where a first finding differs, or
the section takes more than half of the passes or of the time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.knowledge.base import catalog
from advisor.practice.manifest import answers, exercise
from advisor.practice.manifest import names as all_names
from advisor.practice.profiling import FULL, Profile, profile
from advisor.practice.run import Progress
from advisor.practice.selfcheck import launches_of, task_of
from advisor.practice.tasks import Request, Task
from advisor.view.writers.ncu_section import FILE, IDENTIFIER, section_text
from tests.changed import replace

SEED = 7


@dataclass
class Watch:
    """Listens to ncu: `seconds` it was at work on each launch, in order."""

    seconds: list[float] = field(default_factory=list)
    _since: float | None = None
    _kernel: tuple[str, str, str] = ("", "", "")

    def __call__(self, now: Progress) -> None:
        """One sign of life."""
        at = time.monotonic()
        here = (now.exercise, now.step, now.kernel)
        if now.kernel and (self._since is None or here != self._kernel):
            self._since, self._kernel = at, here
        if now.kernel and now.passes and self._since is not None:
            self.seconds.append(at - self._since)
            self._since = None


def first_steps(names: list[str]) -> tuple[Task, ...]:
    """The first step of each exercise, to profile."""
    tasks = [task_of(name, ("profile",), SEED) for name in names]
    return tuple(replace(task, jobs=task.jobs[:1]) for task in tasks)


def found_first(made: Profile, names: list[str]) -> dict[str, dict[str, Any]]:
    """Exercise -> class, first finding, all of them, and what was missing, of the launch that its claim is about."""
    from advisor.readers.read import read_many
    from advisor.reasoning.analysis import Analysis
    from advisor.reasoning.inputs import Inputs, checked_answers

    if made.report is None:
        return {}
    cat, places = catalog(), launches_of(made)
    frame, infos = read_many([made.report])
    given: dict[int | None, dict[str, float | str]] = {}
    looked: dict[str, int] = {}
    for name in names:
        step = exercise(name).steps[0]
        own = places.get((name, step.id), ())
        problem = made.outcome.problem(name)
        if len(own) > step.look_at and problem is not None:
            looked[name] = own[step.look_at]
            given |= dict.fromkeys(own, checked_answers(cat, answers(name, step.id, dict(problem.sizes))))
    launches = {x.index: x for x in Analysis(cat, Inputs(frame, infos, None, given)).diagnosis.launches}
    return {
        name: {
            "class": launches[at].verdict.id,
            "findings": [f.id for f in launches[at].findings if f.kind == "diagnosis"],
            "missing": sorted(m.metric for m in launches[at].missing),
        }
        for name, at in looked.items()
        if at in launches
    }


def measure(names: list[str], report: Path, collect: tuple[str, ...], given: argparse.Namespace) -> dict[str, Any]:
    """One report of these exercises: wall seconds, those of ncu alone, passes of each launch, findings."""
    watch, start = Watch(), time.monotonic()
    made = profile(Request(first_steps(names)), report, None, watch, given.ncu, given.clock_control, collect)
    wall = time.monotonic() - start
    said = {"failure": made.failure.words if made.failure is not None else "", "detail": ""}
    if made.failure is not None:
        said["detail"] = made.failure.detail[-2000:]
    return {
        **said,
        "wall_s": wall,
        "ncu_s": sum(watch.seconds),
        "passes": [launch.passes for launch in made.launches],
        "bytes": report.stat().st_size if report.is_file() else 0,
        "found": found_first(made, names),
    }


def summary(groups: list[dict[str, Any]]) -> tuple[list[str], bool]:
    """Lines to print, and whether the claim holds."""
    total = {
        kind: {key: sum(g[kind][key] for g in groups) for key in ("wall_s", "ncu_s", "bytes")}
        | {"passes": sum(sum(g[kind]["passes"]) for g in groups), "n": sum(len(g[kind]["passes"]) for g in groups)}
        for kind in ("full", "section")
    }
    lines = [f"{'':<8} {'launches':>8} {'passes':>7} {'ncu s':>8} {'wall s':>8} {'MB':>7}"]
    for kind, t in total.items():
        lines.append(
            f"{kind:<8} {t['n']:8} {t['passes']:7} {t['ncu_s']:8.1f} {t['wall_s']:8.1f} {t['bytes'] / 1e6:7.1f}"
        )
    ratios = {k: total["section"][k] / (total["full"][k] or float("nan")) for k in ("passes", "ncu_s", "wall_s")}
    lines.append("section over full: " + ", ".join(f"{name} {value:.2f}" for name, value in ratios.items()))
    same, wrong = 0, []
    for group in groups:
        for name in group["names"]:
            one, two = (group[kind]["found"].get(name, {}) for kind in ("full", "section"))
            firsts = [(x.get("findings") or ["nothing"])[0] if x else "not profiled" for x in (one, two)]
            if one and two and firsts[0] == firsts[1]:
                same += 1
            else:
                wrong.append(f"{name}: {firsts[0]} with the full set, {firsts[1]} with the section")
            if two.get("missing"):
                lines.append(f"{name}: the section lacks {', '.join(two['missing'])}")
        lines += [f"{kind}: {group[kind]['failure']}" for kind in ("full", "section") if group[kind]["failure"]]
    lines += [f"same first finding: {same} of {same + len(wrong)}", *wrong]
    return lines, not wrong and same > 0 and ratios["passes"] <= 0.5 and ratios["ncu_s"] <= 0.5


def main(argv: list[str] | None = None) -> int:
    """Profile what is left, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--group", type=int, default=9, help="exercises in a report")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds after which no group is begun")
    parser.add_argument("--clock-control", choices=["base", "none"])
    parser.add_argument("--ncu", type=Path)
    given = parser.parse_args(argv)
    out: Path = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_text(section_text(catalog().metrics), encoding="utf-8")
    ours = ("--section-folder", str(out), "--section", IDENTIFIER)
    log = out / "section.json"
    groups: list[dict[str, Any]] = json.loads(log.read_text(encoding="utf-8")) if log.exists() else []
    done = {name for group in groups for name in group["names"]}
    left = [name for name in all_names() if name not in done and (not given.only or name in given.only)]
    failed: list[dict[str, Any]] = []
    end = time.monotonic() + given.limit
    while left and time.monotonic() < end:
        names, left = left[: given.group], left[given.group :]
        number = len(groups) + len(failed)
        group: dict[str, Any] = {"names": names}
        for kind, collect in (("full", FULL), ("section", ours)):
            group[kind] = measure(names, out / f"{kind}-{number}.ncu-rep", collect, given)
        # What gave no launches at all is tried again by the next call.
        (groups if all(group[kind]["found"] for kind in ("full", "section")) else failed).append(group)
        log.write_text(json.dumps(groups, indent=1), encoding="utf-8")
        print(f"group {number}: {', '.join(names)}", file=sys.stderr, flush=True)
    lines, holds = summary(groups + failed)
    print("\n".join(lines + ([f"not begun: {', '.join(left)}"] if left else [])))
    return 0 if holds and not left else 1


if __name__ == "__main__":
    raise SystemExit(main())
