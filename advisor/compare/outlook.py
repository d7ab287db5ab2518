"""Find percentages that moved against the time, check the base's estimate, and advise whether to go on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from advisor.compare.changes import is_counted, leader, ratio, say, say_of, settings, sources
from advisor.compare.records import FindingChange, Next, Promise, Runs, State, Trap
from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import unit_name
from advisor.reasoning.time_model.noise import Judged
from advisor.records.diagnosis import ENDS, Conclusion, Finding, LaunchDiagnosis, is_settled
from advisor.records.quantities import amount_text, change_text, factor_text, gain_text, share_text, speedup_text

# Metrics that count the work of a unit, and their units as the texts name them.
_UNIT_OF = {
    "dram_bytes": "byte",
    "l2_sectors": "sectors",
    "memory_inst": "inst",
    "inst_executed": "inst",
    "shared_wavefronts": "shared wavefronts",
    "global_sectors": "sectors",
    "local_sectors": "local sectors",
}
_GREW = 1.1  # counts of work that grew by less are not shown
_AGREE = 1.1  # a percentage and the work counted for its unit that change alike within this factor explain each other
# These findings are not causes that a kernel change could remove, so they promise nothing about its duration.
_NO_CAUSE = (*ENDS, "unexplained", "launch_overhead")


def traps(base: LaunchDiagnosis, current: LaunchDiagnosis, judged: Judged | None) -> tuple[Trap, ...]:
    """Return percentages that fell though the kernel is faster, or rose though it is slower; the largest first.

    A percentage of peak is work / (time x peak rate). At a constant clock it must fall if the work shrinks by more than
    the time, and such a fall does not count against the change.
    """
    if judged is None or judged.word == "same":
        return ()
    known = settings().traps
    found = []
    for metric in (*known.units, *known.goals):
        old, new = base.metrics.get(metric, math.nan), current.metrics.get(metric, math.nan)
        points = old - new if judged.word == "faster" else new - old
        # A comparison with NaN is false.
        unit = metric in known.units
        if points >= (known.points if unit else known.goal_points) and max(old, new) >= known.least:
            made = _unit if unit else _goal
            found.append((-points, metric, made(metric, old, new, base, current, judged)))
    kept: list[Trap] = []
    seen: set[tuple[str, ...]] = set()
    for _, _, trap in sorted(found, key=lambda f: (f[0], f[1])):
        # Issue slots and the compute percentage mostly measure the same thing, so only one is shown.
        entry = known.units.get(trap.metric)
        if entry is None or entry.work not in seen:
            kept.append(trap)
        if entry is not None:
            seen.add(entry.work)
    return tuple(kept[: known.most])


def _unit(metric: str, old: float, new: float, base: LaunchDiagnosis, current: LaunchDiagnosis, judged: Judged) -> Trap:
    entry = settings().traps.units[metric]
    counted = _largest(entry.work, base, current)
    before, after = (x.metrics.get(counted, math.nan) for x in (base, current))
    known = math.isfinite(before) and math.isfinite(after) and before > 0
    name = "Compute" if metric == "compute_pct" else unit_name(metric)
    rate, time = new / old if old > 0 else math.nan, _time_ratio(base, current, judged)
    values: dict[str, float | str] = {
        "unit": name[:1].upper() + name[1:],
        "before": amount_text(old, "%"),
        "after": amount_text(new, "%"),
        "time": factor_text(time),
        "rate": factor_text(rate) if math.isfinite(rate) else "unknown",
        "work": factor_text(rate * time) if math.isfinite(rate) else "unknown",
        "counted": "",
    }
    if known:
        unit, ratio_ = _UNIT_OF.get(counted, ""), after / before
        alike = math.isfinite(rate) and ratio_ > 0 and abs(math.log(ratio_ / (rate * time))) <= math.log(_AGREE)
        of = {
            "does": entry.does,
            "ratio": factor_text(ratio_),
            "work_before": amount_text(before, unit),
            "work_after": amount_text(after, unit),
        }
        values["counted"] = say_of("trap_counted" if alike else "trap_other", of)[0]
    text, cites = say_of("trap_less" if judged.word == "faster" else "trap_more", values)
    if not known:
        return Trap(metric=metric, before=old, after=new, text=text, cites=cites)
    return Trap(
        metric=metric,
        before=old,
        after=new,
        work=counted,
        work_before=before,
        work_after=after,
        text=text,
        cites=cites,
    )


def _time_ratio(base: LaunchDiagnosis, current: LaunchDiagnosis, judged: Judged) -> float:
    """Return the time of the profiled launches, whose percentages these are, against each other."""
    old, new = base.duration_ns, current.duration_ns
    return new / old if old and new else 1 / judged.speedup


def _largest(metrics: tuple[str, ...], base: LaunchDiagnosis, current: LaunchDiagnosis) -> str:
    """Return the count of work that is largest on either side; empty if none is known."""

    def most(name: str) -> float:
        return max((v for x in (base, current) if math.isfinite(v := x.metrics.get(name, math.nan))), default=-1.0)

    best = max(metrics, key=most)
    return best if most(best) >= 0 else ""


def _goal(metric: str, old: float, new: float, base: LaunchDiagnosis, current: LaunchDiagnosis, judged: Judged) -> Trap:
    known = settings().traps
    values: dict[str, float | str] = {
        "unit": known.goals[metric],
        "before": amount_text(old, "%"),
        "after": amount_text(new, "%"),
    }
    if judged.word == "faster":
        text, cites = say_of("goal_needless", values)
        return Trap(metric=metric, before=old, after=new, text=text, cites=cites)
    grew = grown(base, current)
    costs = say_of("goal_costs", {"costs": ", ".join(grew)})[0] if grew else ""
    text, cites = say_of("goal_missed", values | {"costs": costs})
    return Trap(metric=metric, before=old, after=new, text=text, cites=cites)


def grown(base: LaunchDiagnosis, current: LaunchDiagnosis) -> list[str]:
    """Return the counts of work that grew by a tenth or more, as text: `instructions 1.3x`."""
    return _moved(base, current, 1)


def shrunk(base: LaunchDiagnosis, current: LaunchDiagnosis) -> list[str]:
    """Return the counts of work that shrank by a tenth or more, as text: `DRAM bytes 0.31x`."""
    return _moved(base, current, -1)


def _moved(base: LaunchDiagnosis, current: LaunchDiagnosis, sign: int) -> list[str]:
    out = []
    for metric, name in settings().traps.costs.items():
        old, new = base.metrics.get(metric, math.nan), current.metrics.get(metric, math.nan)
        moved = ratio(old, new)
        if moved is not None:
            if sign * math.log(moved) >= math.log(_GREW):
                out.append(f"{name} {speedup_text(moved)}")
        elif (old == 0 and new > 0 and sign > 0) or (new == 0 and old > 0 and sign < 0):
            out.append(f"{name} {amount_text(old, '')} to {amount_text(new, '')}")
    return out


def first_diagnosis(launch: LaunchDiagnosis) -> Finding | None:
    """Return the first diagnosis, which is the one to fix first."""
    return next((f for f in launch.findings if f.kind == "diagnosis"), None)


def promise(base: Runs, current: Runs, judged: Judged | None, changes: Sequence[FindingChange]) -> Promise | None:
    """Compare the estimate of the base's first finding with the measured speedup; None without an estimate.

    If the first finding did not disappear and exactly one other did, compare the estimate of that one instead.
    """
    if judged is None or _built_otherwise(changes):
        return None
    first = first_diagnosis(base.launch)
    gone = [c for c in changes if c.state == "gone" and c.kind == "diagnosis"]
    if first is not None and len(gone) == 1 and gone[0].id != first.id and gone[0].id not in _NO_CAUSE:
        first = gone[0].before
    if first is None or first.speedup is None or first.id in _NO_CAUSE:
        return None
    stands: State = next((c.state for c in changes if c.id == first.id), "gone")
    gain = first.speedup
    low, high = gain.low / (1 + judged.noise), gain.high * (1 + judged.noise)
    outcome: Literal["held", "less", "more", "open", "worse"]
    if judged.word == "slower":
        outcome = "worse"
    elif judged.word == "same" and stands == "stayed":
        outcome = "open"
    elif judged.speedup < low:
        outcome = "less"
    elif judged.speedup > high:
        outcome = "more"
    else:
        outcome = "held"
    text = say(
        outcome,
        title=first.title,
        promised=gain_text(gain.estimate, gain.low, gain.high),
        measured=speedup_text(judged.speedup),
        state=say(f"is_{stands}"),
        why=". ".join(_why(outcome, first, stands, base.launch, current.launch, changes)),
    )
    return Promise(first.id, first.title, gain.estimate, gain.low, gain.high, judged.speedup, outcome, text)


def _why(
    outcome: str,
    first: Finding,
    stands: State,
    base: LaunchDiagnosis,
    current: LaunchDiagnosis,
    changes: Sequence[FindingChange],
) -> list[str]:
    """Return at most three reasons from the counters why an estimate was missed, the most important first."""
    out: list[str] = []
    came = [c.title for c in changes if c.state == "came" and c.kind == "diagnosis" and c.id not in ENDS]
    if stands == "unknown":
        out.append(say("why_unknown"))
    if stands == "stayed" and outcome != "more":
        left = next((c.after for c in changes if c.id == first.id), None)
        still = (
            f", estimated speedup {speedup_text(left.speedup.estimate)}"
            if left is not None and left.speedup is not None
            else ""
        )
        out.append(say("why_stayed", left=still))
    if outcome in ("less", "worse"):
        if came:
            out.append(say("why_came", came=", ".join(came)))
        if outcome == "worse" and (more := grown(base, current)):
            out.append(say("why_more_work", more=", ".join(more)))
        if stands == "gone" and (found := _next_limit(first, current)):
            out.append(found)
    if outcome == "more":
        others = [c.title for c in changes if c.state == "gone" and c.kind == "diagnosis" and c.id != first.id]
        if others:
            out.append(say("why_also_gone", gone=", ".join(others)))
        if less := shrunk(base, current):
            out.append(say("why_work", less=", ".join(less)))
    return [text.rstrip(".") for text in out[:3]] or [say("why_nothing")]


def _next_limit(first: Finding, current: LaunchDiagnosis) -> str:
    """Return the expected next limit and the unit that leads now; empty if they agree or one is unknown."""
    terms = time_model().terms
    expected = first.speedup.next_limiter if first.speedup is not None else ""
    leading = leader(current)
    if expected not in terms or leading is None or terms[expected].metric == leading[0]:
        return ""
    return say("why_next", expected=terms[expected].name, leader=f"{unit_name(leading[0])} ({leading[1]:.0f} %)")


def what_next(
    base: Runs, current: Runs, judged: Judged | None, changes: Sequence[FindingChange], doubt: str = ""
) -> Next:
    """Advise to stop or to go on: revert the change if it cost time, else name the next gain of the current launch.

    A slower version that removed the cause it was made for, and now has one that this fix often introduces, is a step
    on the way: the advice is to fix the new cause, and to revert only if the time stays above that of the base.
    doubt: why the times are not comparable (size, gpu, clock, report, same); if set, reverting is not advised.
    """
    if _built_otherwise(changes):
        return Next("look", "debug_build", None, say("alike"), sources("alike"))
    if judged is None and is_counted(base.launch) and is_counted(current.launch):
        return _by_counts(changes)
    if doubt:
        found = _ahead(current)
        return Next(
            "look", found.finding, found.gain, say(f"doubt_{doubt}", next=found.text), sources(f"doubt_{doubt}")
        )
    if judged is not None and judged.word == "slower":
        came = [c for c in changes if c.state == "came" and c.kind == "diagnosis" and c.id not in ENDS]
        if (halfway := _halfway(base, current, judged, changes)) is not None:
            return halfway
        named = say("back_came", came=", ".join(f"{c.title} [{c.id}]" for c in came)) if came else ""
        text = say("back", time=change_text(judged.change), came=named)
        id_, gain = (came[0].id, _gain(came[0].after)) if came else ("", None)
        return Next("go_back", id_, gain, text, sources("back"))
    found = _ahead(current)
    if judged is None:
        return Next(found.advice, found.finding, found.gain, say("no_time", next=found.text), found.cites)
    if judged.word == "same":
        return Next(found.advice, found.finding, found.gain, say("same", next=found.text), sources("same"))
    return found


def _by_counts(changes: Sequence[FindingChange]) -> Next:
    """Return what the counts of two emulated versions show: whether the change removed a cause or made one."""
    causes = [c for c in changes if c.kind == "diagnosis"]
    left = next((c for state in ("came", "stayed") for c in causes if c.state == state), None)
    titles = {state: ", ".join(c.title for c in causes if c.state == state) for state in ("gone", "came", "stayed")}
    key = "came" if titles["came"] else "gone" if titles["gone"] else "stayed" if titles["stayed"] else "none"
    return Next(
        "look",
        left.id if left is not None else "",
        None,
        say(f"counted_{key}", **titles),
        sources(f"counted_{key}"),
    )


def _built_otherwise(changes: Sequence[FindingChange]) -> bool:
    """Whether exactly one side is a debug build."""
    return any(c.id == "debug_build" and c.state in ("gone", "came") for c in changes)


def _halfway(base: Runs, current: Runs, judged: Judged, changes: Sequence[FindingChange]) -> Next | None:
    """Return the advice on a slower version that exchanged its first cause for a known side effect of the fix."""
    old, new = first_diagnosis(base.launch), first_diagnosis(current.launch)
    states = {c.id: c.state for c in changes}
    if old is None or new is None or new.fix is None or new.id not in settings().side_effects.get(old.id, ()):
        return None
    if states.get(old.id) not in ("gone", "unknown") or states.get(new.id) not in ("came", "unknown"):
        return None
    text = say(
        "on_slower",
        time=change_text(judged.change),
        gone=old.title,
        title=new.title,
        id=new.id,
        fix=new.fix.summary,
        before=amount_text(base.launch.duration_ns, "ns"),
    )
    return Next("go_on", new.id, _gain(new), text, sources("on_slower"))


def _gain(finding: Finding | None) -> float | None:
    return finding.speedup.estimate if finding is not None and finding.speedup is not None else None


def _ahead(current: Runs) -> Next:
    """Return the advice of the rules (knowledge/quantification) about the current side, as a sentence."""
    launch = current.launch
    advised = launch.advice
    first = first_diagnosis(launch)
    if advised is None or first is None or advised.kind == "look":
        return _look(launch, first, advised)
    if first.id in ENDS and not is_settled(launch, first):
        return Next("look", first.id, None, say("possibly", title=first.title), sources("possibly"))
    key, gain = advised.id.removeprefix("advice."), _gain(first)
    values = {
        "title": first.title,
        "id": first.id,
        "time": amount_text(launch.duration_ns, "ns"),
        **_rates(launch, first),
    }
    if key == "go" and first.speedup is not None:
        values["gain"] = gain_text(first.speedup.estimate, first.speedup.low, first.speedup.high)
    elif gain is not None:
        values["gain"] = speedup_text(gain)
    return Next("stop" if advised.kind == "stop" else "go_on", first.id, gain, say(key, **values), sources(key))


def _look(launch: LaunchDiagnosis, first: Finding | None, advised: Conclusion | None) -> Next:
    """Return the advice to look for more: no cause is known."""
    key = "nothing" if advised is None else advised.id.removeprefix("advice.")
    typed = f"{key}_typed"
    shown = typed if launch.scope == "workload" and typed in settings().texts else key
    named = first.id if first is not None and key == "nothing" else ""
    return Next("look", named, None, say(shown), sources(shown))


def _rates(launch: LaunchDiagnosis, first: Finding) -> dict[str, str]:
    """Return the reached share of the achievable rate, and the time against the algorithm's minimum, if known."""
    out = {}
    reached = launch.metrics.get("dram_of_achievable" if first.id == ENDS[0] else "compute_pct")
    if reached is not None:
        out["reached"] = f"{reached:.0f} %"
    floor = launch.metrics.get("napkin_reachable_ns")
    if floor and launch.duration_ns is not None:
        out |= {"part": share_text(launch.duration_ns / floor - 1), "floor": amount_text(floor, "ns")}
    return out
