"""Compute time from needs, and from a fix's changes a speedup with its range and its next limiter."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from advisor.knowledge.schemas import FixDef
from advisor.knowledge.texts import fill
from advisor.knowledge.time_model import time_model
from advisor.reasoning.time_model.needed import needed
from advisor.reasoning.time_model.operators import applied as applied_to
from advisor.reasoning.time_model.operators import terms_of
from advisor.reasoning.time_model.slot_bound import slots_left
from advisor.reasoning.time_model.terms import LATENCY, SHARES, Array, Needs, Rows, needs, turns_left, with_assumed
from advisor.records.diagnosis import Speedup

# A term that needs at least this part of the largest need also determines the time.
_CARRIES = 0.7
# The two accounts of a gain, by units and by issue slots, differ by more than this factor: its confidence is low.
_APART = 1.5
# A factor above this leaves a need as it is.
_UNCHANGED = 0.995
# The busiest SM works so much longer than the average one: less than half of the SMs work at a time.
_UNEVEN = 2.0
# List the relieved units that save at least this share of the time, at most this many by name.
NOTICED = 0.005
_TOLD = 3
# The percentages of a kernel of a few microseconds tell no smaller shares of its time.
_LEAST_NEED = 0.01


class Model(Struct, frozen=True):
    """The time model of the rows of one frame."""

    columns: Mapping[str, Array]
    rows: int
    now: Needs

    @property
    def relative(self) -> Array:
        """Return predicted / measured time of the unmodified launch: 1 if the counters account for it."""
        return combine(chains(self.now.terms), time_model().norm.estimate)


@np.errstate(all="ignore")  # out-of-range counters give infinities, which mean unknown: no warning
def build(columns: Mapping[str, Array], rows: int) -> Model:
    """Build the model from a derived frame's columns."""
    found = needs(columns, rows)
    # Without stall or occupancy numbers the latency is what the other chains leave of the time.
    norm = time_model().norm.estimate
    rest = combine(chains({k: v for k, v in found.terms.items() if k not in LATENCY}), norm)
    left = np.clip(1 - np.minimum(rest, 1) ** norm, 0, None) ** (1 / norm)
    terms = dict(found.terms)
    terms["latency_memory"] = np.where(found.latency_known, terms["latency_memory"], left)
    return Model(with_assumed(columns), rows, replace(found, terms=terms))


def chains(terms: Mapping[str, Array]) -> dict[str, Array]:
    """Return the need of each chain: the largest of its terms; parts of a unit, and of a warp's latency, add up."""
    described = time_model().terms
    units: dict[tuple[str, str], Array] = {}
    for name, need in terms.items():
        term = described[name]
        key = (term.chain, term.part_of or ("latency" if term.chain == "latency" else name))
        units[key] = units[key] + need if key in units else need
    out: dict[str, Array] = {}
    for (chain, _), need in units.items():
        out[chain] = np.maximum(out[chain], need) if chain in out else need
    return out


def combine(chains: Mapping[str, Array], norm: float) -> Array:
    """Return the needs of all chains together: their p-norm, as chains overlap, but not perfectly."""
    return np.asarray(sum(np.power(np.maximum(c, 0), norm) for c in chains.values()) ** (1 / norm))


def _changed(now: Needs, factors: Mapping[str, Array]) -> dict[str, Array]:
    described = time_model().terms
    if "latency" not in factors:
        factors = {"latency_barrier": _others_wait(now, factors), **factors}
    even = 1 + (now.imbalance - 1) * factors.get("imbalance", np.ones_like(now.imbalance))
    out = {}
    for name, need in now.terms.items():
        factor = factors.get(name, factors.get(described[name].follows, np.ones_like(need)))
        if name == "l2":
            # A miss passes through L2 twice, for look-up and fill: fewer misses for each look-up are less work,
            # but for the crossbars to and from the SMs, which pass the same bytes.
            fewer = np.minimum(1, factors.get("dram", np.ones_like(need)) / np.maximum(factor, 1e-9))
            factor = factor * np.maximum((1 + now.missed * fewer) / (1 + now.missed), now.passed)
        if name == "in_turn" and name not in factors:
            factor = turns_left(now.terms, factors)
        if name == "l2_fabric" and name not in factors:
            factor = now.crossed * factor + (1 - now.crossed) * factors.get("l2", np.ones_like(need))
        if name in LATENCY:
            factor = factor * factors.get("latency", np.ones_like(need))
        if name in now.crowded:
            more = now.crowded[name]
            factor = factor * (1 + (more - 1) * factors.get("imbalance", np.ones_like(need))) / more
        if described[name].per_sm:
            factor = factor * even / now.imbalance
        elif name in LATENCY:
            factor = np.where(now.queued, factor * even / now.imbalance, factor)
        out[name] = need * factor
    return out


def applied(now: Needs, factors: Mapping[str, Array]) -> dict[str, Array]:
    """Return the needs of every term, arrays of shape (rows,), when the work of some is multiplied by `factors`."""
    return _changed(now, factors)


def _others_wait(now: Needs, factors: Mapping[str, Array]) -> Array:
    """Return the remaining share of a warp's own waits; warps at a barrier wait less if the others wait less."""
    own = [name for name in LATENCY if name != "latency_barrier"]
    before = np.asarray(sum(now.terms[name] for name in own))
    after = np.asarray(sum(now.terms[name] * factors.get(name, 1.0) for name in own))
    return np.where(before > 0, after / np.maximum(before, 1e-12), 1.0)


def new_time(now: Needs, after: Mapping[str, Array], norm: float, same_work: bool = False) -> Array:
    """Return new time / old time, shape (rows,); the part that the counters do not account for is unchanged.

    It is never below what one unit still needs: a unit at its ceiling leaves no gain to a fix that does not relieve it.
    same_work: the kernel stays as it is, as on another GPU, and the model's error with it.
    """
    modelled = accounted(now) * _modelled(now, after, norm, same_work) + 1 - accounted(now)
    return np.asarray(np.maximum(modelled, _still_needed(now, after)))


def _modelled(now: Needs, after: Mapping[str, Array], norm: float, same_work: bool = False) -> Array:
    """Return new time / old time of the part of the time that the model accounts for."""
    ratio = combine(chains(after), norm) / _before(now, norm)
    return ratio if same_work else ratio * error_left(now, ratio)


def error_left(now: Needs, ratio: Array) -> Array:
    """Return the factor on the modelled ratio of new time to old time for the model's error on the launch.

    The error belongs to the work that takes the time. As far as a fix changes that, the error is no longer today's but
    the usual one (`usual` in knowledge/time_model.yaml). Where latency is only what the other units leave of the time,
    the sum is the time, and there is no error to see.
    """
    usual, scale = time_model().usual, time_model().scale
    error = np.clip(_before(now, time_model().norm.estimate), 1 / scale.high, 1 / scale.low) / usual.relative
    error = np.where(now.latency_known, error, 1.0)
    return np.asarray(error ** ((1 - usual.kept) * (1 - np.minimum(ratio, 1.0))))


def _still_needed(now: Needs, after: Mapping[str, Array]) -> Array:
    """Return the largest need of a hardware unit, at most 1: no time is shorter than that.

    Units that all SMs share can do their work in the whole time, also where they are crowded in a part of it today.
    """
    units = {name: need / now.crowded.get(name, 1.0) for name, need in after.items() if name not in LATENCY}
    return np.asarray(np.minimum(1, np.max(list(chains(units).values()), axis=0)))


def metrics_of(changed: Iterable[str]) -> frozenset[str]:
    """Return the metrics that show the work of these terms."""
    described = time_model().terms
    metrics = {described[name].metric for name in changed if name in described}
    return frozenset(metrics | {SHARES[name] for name in changed if name in SHARES}) - {""}


def least_time(now: Needs, changed: Collection[str]) -> float:
    """Return what hardware units still need of the time of the first row when a fix leaves none of the changed terms.

    Unknown units need nothing.
    """
    after = _changed(now, {name: np.zeros(len(now.imbalance)) for name in changed})
    return float(_still_needed(now, {name: np.nan_to_num(need) for name, need in after.items()})[0])


@np.errstate(all="ignore")
def most(model: Model, fix: FixDef, at: Any) -> Array:
    """Return the gain, at least 1, that the fullest hardware unit allows whose work a fix leaves, on rows `at`.

    Of the units that the fix relieves, DRAM is among them, with the bytes that are left. A unit with other parts is
    not, as their shares may be unknown. at: indices.
    """
    described, relieved = time_model().terms, {*terms_of(fix.operators)} - {"dram"}
    parts = {described[name].part_of for name in relieved if name in described} - {""}
    tried = attempt(model, fix, at)
    left = {k: v for k, v in tried.after.items() if k not in relieved and described[k].part_of not in parts}
    return np.asarray(1 / np.maximum(_still_needed(tried.now, left), 1e-6))


def _before(now: Needs, norm: float) -> Array:
    return np.maximum(combine(chains(now.terms), norm), 1e-9)


def accounted(now: Needs) -> Array:
    """Return the share of the measured time that the model accounts for, after scaling it within the allowed range."""
    scale, estimate = time_model().scale, _before(now, time_model().norm.estimate)
    return np.asarray(np.minimum(estimate * np.clip(1 / estimate, scale.low, scale.high), 1))


def _furthest(
    fixes: Sequence[Mapping[str, Mapping[str, str]]], columns: Mapping[str, Array], rows: int, now: Needs
) -> dict[str, Array]:
    """Return the least that any of the fixes, by their operators, leaves of the work of each term that one relieves."""
    least: dict[str, Array] = {}
    for operators in fixes:
        for name, factor in applied_to(operators, columns, rows, now).items():
            reached = np.where(np.isfinite(factor), factor, time_model().accuracy.furthest)
            least[name] = np.minimum(least[name], reached) if name in least else reached
    return least


class Attempt(Struct, frozen=True):
    """A fix applied to some rows.

    columns: the metrics of the rows; known: where the gain can be estimated; left: what the finished fix leaves of the
    work of each term, 1 if unknown; parts: the same of each part of the fix, by what it is; after: the needs then.
    """

    columns: Mapping[str, Array]
    now: Needs
    known: Array
    left: Mapping[str, Array]
    parts: Mapping[str, Mapping[str, Array]]
    after: Mapping[str, Array]


@np.errstate(all="ignore")
def attempt(model: Model, fix: FixDef, at: Any) -> Attempt:
    """Apply a fix to the rows `at` (indices)."""
    columns = Rows(model.columns, at)
    return _attempted(columns, model.now.at(at), fix, len(at))


def _attempted(columns: Mapping[str, Array], now: Needs, fix: FixDef, rows: int) -> Attempt:
    reached = applied_to(fix.operators, columns, rows, now)
    parts = {
        says: _or_whole(_known_of(applied_to(part, columns, rows, now)), _known_of(reached))
        for says, part in fix.partial.items()
    }
    return attempted(columns, now, reached, parts)


def _or_whole(part: Mapping[str, Array], whole: Mapping[str, Array]) -> dict[str, Array]:
    """Return what a part of a fix leaves; that of the whole fix where the launch has the part's parameter already."""
    idle = np.all([factor > _UNCHANGED for factor in part.values()], axis=0)
    names = {*part, *whole}
    ones = np.ones_like(idle, dtype=float)
    return {name: np.where(idle, whole.get(name, ones), part.get(name, ones)) for name in names}


def attempted(
    columns: Mapping[str, Array],
    now: Needs,
    reached: Mapping[str, Array],
    parts: Mapping[str, Mapping[str, Array]],
) -> Attempt:
    """Return the attempt of a fix that leaves `reached` of each term, NaN if unknown; parts: see Attempt."""
    left = _known_of(reached)
    known = np.any([np.isfinite(factor) for factor in reached.values()], axis=0) & ~_undecided(now, reached)
    known &= _measured(now, left)
    return Attempt(columns, now, known, left, parts, _changed(now, left))


def _known_of(factors: Mapping[str, Array]) -> dict[str, Array]:
    return {name: np.where(np.isfinite(factor), factor, 1.0) for name, factor in factors.items()}


@np.errstate(all="ignore")
def speedups(model: Model, fix: FixDef, at: Any, may: Sequence[FixDef] = ()) -> list[Speedup | None]:
    """Return the speedup of the finished fix alone on the rows `at` (indices): old time / new time, at least 1.

    may: other fixes of the cause, of which the report does not show whether they suit. Then the fix is the general one:
    the range goes from no gain to the end of all work that any of them relieves. The range of a fix with `depends`
    begins at no gain too; that of one with `most` reaches the gain of its furthest form.

    None if all that the fix leaves is unknown there, or what it leaves of a term that determines the time, or all the
    work that it relieves. Other unknown terms are ignored.
    """
    tried = attempt(model, fix, at)
    if "launch" in terms_of(fix.operators):
        return _launch(tried)
    far = None
    if may or fix.most:
        forms = (*(one.operators for one in (fix, *may)), fix.most)
        furthest = _changed(tried.now, _furthest(forms, tried.columns, len(at), tried.now))
        far = 1 / np.maximum(new_time(tried.now, furthest, time_model().norm.estimate), 1e-6)
    return gains(tried, bool(may or fix.depends), fix.depends, far, fix.reach)


@np.errstate(all="ignore")
def gains(
    tried: Attempt, from_one: bool = False, depends: str = "", far: Array | None = None, reach: float = 1.0
) -> list[Speedup | None]:
    """Return the speedup of an attempt on each of its rows; None where it is unknown.

    The estimate is that of the needs of the units. The range spans it and the bound of the issue slots, what the least
    part of the fix gives with much overlap between units and the whole with little, the model's own error, and what
    fixes do more or less than foretold. Time that the counters do not account for stays at one end of the range and
    follows the issue slots at the other; the estimate is between the two on a log scale, but for a fix that evens out
    SMs: what idle SMs leave unexplained ends with their wait for the busiest one. from_one: the range begins at
    no gain; depends: what decides about it; far: a gain that the range reaches; reach: the share of the logarithm of
    the gain that is expected.
    The new time is never below the algorithm's minimum time.
    """
    constants = time_model()
    now, known, left, after = tried.now, tried.known, tried.left, tried.after
    columns, rows = tried.columns, len(known)
    slots = _by_slots(tried)
    stays, follows = new_time(now, after, constants.norm.estimate), _rest_follows(now, after, slots)
    between = np.where(_evens(now, left), 1.0, 0.5)
    estimate = 1 / np.maximum(stays ** (1 - between) * follows**between, 1e-6)
    of_parts = {says: _changed(now, part) for says, part in tried.parts.items()}
    ways = (constants.norm.low, constants.norm.high)
    extremes = [1 / np.maximum(new_time(now, one, norm), 1e-6) for one in (after, *of_parts.values()) for norm in ways]
    partial = {says: 1 / np.maximum(new_time(now, one, ways[0]), 1e-6) for says, one in of_parts.items()}
    low = np.minimum(_off(np.fmin(np.min([estimate, *extremes], axis=0), slots), -1), _fix_off(estimate, -1))
    whole = 1 / np.maximum(follows, 1e-6)
    high = _off(np.fmax(np.max([estimate, whole, *extremes], axis=0), slots), 1)
    rewritten, least = needed(columns, rows, now, after)
    further = 1 / np.maximum(new_time(now, rewritten, constants.norm.estimate), 1e-6)
    high = np.maximum(high, np.maximum(further, _fix_off(estimate, 1)))
    high = estimate * (np.maximum(high, estimate) / estimate) ** constants.accuracy.above
    least = {name: np.min([least[name], *(one[name] for one in of_parts.values())], axis=0) for name in least}
    high = np.minimum(
        high, np.maximum(estimate, constants.accuracy.within / np.maximum(_still_needed(now, least), 1e-6))
    )
    if far is not None:
        high = np.maximum(high, far)
    floor, fixed = _floor(columns, rows), _fixed(columns, rows)
    out: list[Speedup | None] = []
    for row in range(rows):
        if not known[row]:
            out.append(None)
            continue
        limits = {"floor": float(floor[row]), "fixed": float(fixed[row])}
        lowest = min(limits, key=lambda name: limits[name] if math.isfinite(limits[name]) else math.inf)
        limit = max(1.0, limits[lowest]) if math.isfinite(limits[lowest]) else math.inf
        mid_, high_ = (max(1.0, min(float(v[row]), limit)) for v in (estimate, high))
        low_ = 1.0 if from_one else max(1.0, min(float(low[row]), float(_fix_off(np.asarray(mid_), -1))))
        next_ = limiter(after, row)
        shrunk = {n: float(f[row]) for n, f in left.items() if float(f[row]) < _UNCHANGED}
        how = fill(constants.how["plain"], {"names": _less(now, shrunk, row), "next": name_on(now, next_, row)})
        if mid_ < limit and mid_ * float(_still_needed(now, after)[row]) > 1 - 1e-9:
            how = f"{how}; {fill(constants.how['unit'], {'unit': name_on(now, next_, row)})}"
        if mid_ == limit:
            how = f"{how}; {constants.how[lowest]}"
        for says, gain in partial.items():
            if says.strip() and 1 + NOTICED < gain[row] < mid_ * (1 - NOTICED):
                how = f"{how}; {fill(constants.how['part'], {'part': says, 'gain': f'{gain[row]:.1f}'})}"
        by_slots = min(float(slots[row]), limit)
        more = math.isfinite(by_slots) and max(by_slots, 1.0) / mid_ > _APART
        # A second number over the bound of a fix that may gain nothing says no more than the bound.
        if (more and not (from_one and by_slots > high_)) or mid_ / max(by_slots, 1.0) > _APART:
            how = f"{how}; {fill(constants.how['apart'], {'gain': f'{max(by_slots, 1.0):.1f}'})}"
        mid_ **= reach
        low_ = min(low_, mid_)
        if from_one and mid_ > 1:
            how = f"{how}; {fill(constants.how['depends'], {'what': depends or constants.how['other_fixes']})}"
        out.append(Speedup(mid_, low_, high_, next_, how))
    return out


def _by_slots(tried: Attempt) -> Array:
    """Return the speedup by issue slots, at most what the fullest remaining unit allows; NaN if unknown."""
    even = tried.left.get("imbalance", np.ones(len(tried.known)))
    left = slots_left(tried.columns, tried.now, tried.after, even)
    time = np.fmax(left, _still_needed(tried.now, tried.after))
    return np.where(np.isfinite(left), 1 / np.maximum(time, 1e-6), np.nan)


def _evens(now: Needs, left: Mapping[str, Array]) -> Array:
    """Return where a fix evens out SMs of which the busiest works much longer than the average."""
    return (now.imbalance > _UNEVEN) & (left.get("imbalance", np.ones_like(now.imbalance)) < _UNCHANGED)


def _rest_follows(now: Needs, after: Mapping[str, Array], slots: Array) -> Array:
    """Return new time / old time if the time that the counters do not account for follows the issue slots.

    slots: the speedup by them, NaN if unknown; then that time stays.
    """
    norm = time_model().norm.estimate
    rest = (1 - accounted(now)) * np.where(np.isfinite(slots), 1 / np.maximum(slots, 1.0), 1.0)
    modelled = accounted(now) * _modelled(now, after, norm) + rest
    return np.asarray(np.maximum(modelled, _still_needed(now, after)))


def _less(now: Needs, shrunk: Mapping[str, float], row: int) -> str:
    """Name the units that a fix relieves, first the one that saves most time, with the remaining work.

    shrunk: what is left, 0 to 1, of the work of each term.
    """
    constants = time_model()

    def saved(name: str) -> float:
        if name == "imbalance":
            need = 1 - 1 / max(float(now.imbalance[row]), 1.0)
        else:
            need = sum(float(now.terms[n][row]) for n in (LATENCY if name == "latency" else (name,)) if n in now.terms)
        return need * (1 - shrunk[name])

    order = [name for name in sorted(shrunk, key=saved, reverse=True) if saved(name) >= NOTICED]
    if not order:
        return constants.how["nothing"]
    names = [name_on(now, n, row) if n in constants.terms else constants.how[n] for n in order]
    names[0] = fill(constants.how["most"], {"name": names[0], "percent": _percent(shrunk[order[0]])})
    rest = [fill(constants.how["more"], {"count": str(len(names) - _TOLD)})] if len(names) > _TOLD else []
    return ", ".join([*names[:_TOLD], *rest])


def _percent(left: float) -> str:
    """`12`, or `under 1`."""
    return f"{100 * left:.0f}" if left >= 0.01 else "under 1"


def name_on(now: Needs, term: str, row: int) -> str:
    """Return the name of a term on this launch, without the units that the launch does not use."""
    named = time_model().terms[term]
    used = [unit for unit in named.alone if float(now.terms[unit][row]) >= NOTICED]
    return named.alone[used[0]] if len(used) == 1 else named.name


def _off(speedup: Array, sign: int) -> Array:
    """Return a speedup changed by the model's error on the part of the time that the fix removes.

    The unchanged part was measured. The rest compares the model's prediction for the launch with its prediction for
    another one. Each is as inexact as for unmodified launches, so the ratio's log error is sqrt(2) times that.
    """
    off = time_model().accuracy.within ** math.sqrt(2)
    return np.asarray(speedup * off ** (sign * (1 - 1 / np.maximum(speedup, 1.0))))


def _fix_off(speedup: Array, sign: int) -> Array:
    """Return a speedup changed by what measured fixes did more or less than the model foretold.

    How far a fix goes is the programmer's: the error is a share of the speedup on a log scale, so that 1 has none.
    """
    return np.asarray(np.maximum(speedup, 1.0) ** (1 + sign * time_model().accuracy.of_fix))


def _undecided(now: Needs, factors: Mapping[str, Array]) -> Array:
    """Return where the factor of a term that determines the time is unknown: shape (rows,)."""
    most = np.max(list(now.terms.values()), axis=0)
    unknown = np.zeros_like(most, dtype=bool)
    for name, factor in factors.items():
        for term in LATENCY if name == "latency" else (name,):
            if term in now.terms:
                unknown |= ~np.isfinite(factor) & (now.terms[term] >= _CARRIES * most)
    return unknown


def _measured(now: Needs, factors: Mapping[str, Array]) -> Array:
    """Return where the time of some work that a fix relieves is known, or it relieves none: shape (rows,).

    A load latency that is only what the other units leave of the time counts for fixes of latency alone.
    """
    known = np.zeros_like(now.latency_known)
    relieves, waits, others = known.copy(), known.copy(), known.copy()
    for name, factor in factors.items():
        relieved = factor < 1 - NOTICED
        relieves |= relieved
        if name == "latency" or name in LATENCY:
            known |= relieved & now.latency_known
            waits |= relieved & (name in ("latency", "latency_memory"))
        else:
            known |= relieved & now.known.get(name, np.ones_like(known))
            others |= relieved
    return np.asarray(known | (waits & ~others) | ~relieves)


def limiter(terms: Mapping[str, Array], row: int) -> str:
    """Return the term that limits a row: the largest part of the unit that needs most."""
    return max(terms, key=lambda name: (float(_unit_need(terms, name)[row]), float(terms[name][row])))


def _unit_need(terms: Mapping[str, Array], name: str) -> Array:
    """Return the share of the time that a term's unit needs: the sum over all terms of that unit."""
    described = time_model().terms
    part = described[name].part_of
    if not part:
        return terms[name]
    return np.asarray(sum(need for other, need in terms.items() if described[other].part_of == part))


def _launch(tried: Attempt) -> list[Speedup | None]:
    """Return the speedup of fewer launches: old time over new, per launch that the series has today.

    Today a launch takes the kernel's time and what launching costs the host (2 to 5 us, of which some may overlap). A
    graph of the same kernels leaves the kernel's time: the low end. One launch for the whole series also starts and
    ends once and has the blocks of all its parts at once, which leaves what the fullest unit needs. Values that then
    stay on chip from one part to the next leave only the arithmetic on the data: the high end. How far to go is the
    programmer's choice, so the estimate is the middle on a log scale. Without any known unit only the host's cost goes.
    Percentages of so short a kernel are rough: a need below 1 % counts as 1 %. Source: cuda.launch.
    """
    constants, rows = time_model(), len(tried.known)
    duration = tried.columns.get("duration_ns", np.full(rows, np.nan))
    # The blocks of all parts spread evenly over the SMs.
    together = _changed(tried.now, {"imbalance": np.zeros(rows)})
    least = needed(tried.columns, rows, tried.now, together)[1]
    return [
        _fewer(tried, row, float(duration[row]), _units(together), _units(least))
        if duration[row] > 0
        else Speedup(1.0, 1.0, 1.0, "launch", constants.how["nothing"], constants.launch_ns.estimate)
        for row in range(rows)
    ]


def _fewer(tried: Attempt, row: int, time: float, units: Mapping[str, Array], least: Mapping[str, Array]) -> Speedup:
    """Return the speedup of one row; time: the kernel's, in ns; units, least: needs of one launch for the series."""
    constants, stays = time_model(), float(tried.left["launch"][row])
    cost = constants.launch_ns
    low, high = ((time + host) / time for host in (cost.low, cost.high))
    how = fill(constants.how["graph"], {"low": f"{low:.1f}", "high": f"{high:.1f}"})
    if not any(tried.now.known[name][row] and need[row] > 0 for name, need in units.items()):
        return Speedup((time + cost.estimate) / time, low, high, "launch", how, cost.estimate)
    fullest = min(1.0, max(_LEAST_NEED, *(float(need[row]) for need in chains(units).values())))
    computing = {name: need for name, need in least.items() if constants.terms[name].chain == "compute"}
    arithmetic = max(float(need[row]) for need in chains(computing).values())
    # Where no pipe is known to compute, memory stays.
    arithmetic = min(max(arithmetic, _LEAST_NEED), fullest) if arithmetic > 0 else fullest

    says = {
        "unit": name_on(tried.now, limiter(units, row), row),
        "percent": f"{100 * fullest:.0f}",
        "least": f"{100 * arithmetic:.0f}",
    }
    whole, need = time + cost.high, time * arithmetic
    high = max(whole / (need + stays * (whole - need)), high)
    how = f"{how}; {fill(constants.how['one_launch'], says)}"
    return Speedup(math.sqrt(low * high), low, high, "launch", how, cost.estimate)


def _units(terms: Mapping[str, Array]) -> dict[str, Array]:
    return {name: need for name, need in terms.items() if name not in LATENCY}


def _floor(columns: Mapping[str, Array], rows: int) -> Array:
    """Return measured time / minimum time of the algorithm's bytes at the achievable bandwidth; NaN if unknown."""
    unknown = np.full(rows, np.nan)
    with np.errstate(all="ignore"):
        return np.asarray(columns.get("duration_ns", unknown) / columns.get("napkin_reachable_ns", unknown))


def _fixed(columns: Mapping[str, Array], rows: int) -> Array:
    """Return measured time / the time that starting and ending any kernel takes; NaN if unknown.

    The percentages of a short kernel are averages over its start and end, which no change inside it removes.
    """
    return np.asarray(columns.get("duration_ns", np.full(rows, np.nan)) / time_model().launch_ns.low)
