"""Which kernel of the one side is which of the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence

from advisor.compare.records import Matched, Runs, runs_with
from advisor.reasoning.time_model.noise import Spread, spread
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import UsageError

Couple = tuple[Runs, Runs, Matched]


def runs_of(launches: Iterable[LaunchDiagnosis], measured: Sequence[float] | None = None) -> tuple[Runs, ...]:
    """Launches of one kernel in one shape on one GPU put together as runs, in the order of their first launch.

    measured: run times in ns that replace the profile's, where there is one kernel only.
    """
    groups: dict[Hashable, list[LaunchDiagnosis]] = {}
    for launch in launches:
        groups.setdefault((launch.kernel_full, launch.grid, launch.block, launch.gpu_name), []).append(launch)
    return tuple(_runs(group, measured) for group in groups.values())


def _runs(launches: Sequence[LaunchDiagnosis], measured: Sequence[float] | None) -> Runs:
    timed = sorted((x for x in launches if _positive(x.duration_ns)), key=lambda x: (x.duration_ns or 0.0, x.index))
    middle = timed[(len(timed) - 1) // 2] if timed else launches[0]
    times = list(measured) if measured is not None else [x.duration_ns or 0.0 for x in timed]
    cycles = [x.metrics["sm_cycles_elapsed"] for x in launches if _positive(x.metrics.get("sm_cycles_elapsed"))]
    return runs_with(
        launches=tuple(launches),
        launch=middle,
        times=_spread(times),
        cycles=_cycles(cycles, middle),
        measured=measured is not None,
    )


def _cycles(cycles: Sequence[float], launch: LaunchDiagnosis) -> Spread | None:
    """SM cycles as a spread; the floor of the noise is reckoned in ns, so they are put into it and back."""
    clock = launch.metrics.get("sm_clock_hz")
    if not cycles or not _positive(clock):
        return None
    scale = 1e9 / float(clock or 1.0)
    found = _spread([c * scale for c in cycles])
    return found and Spread(found.median / scale, found.low / scale, found.high / scale, found.runs, found.noise)


def _spread(times: Sequence[float]) -> Spread | None:
    """The spread of times in ns; None where there are none, or where a number is so absurd that nothing follows."""
    if not times or not all(_positive(t) for t in times):
        return None
    found = spread(times)
    return found if math.isfinite(found.noise) else None


def _positive(value: float | None) -> bool:
    return value is not None and math.isfinite(value) and value > 0


def match(
    base: Sequence[Runs], current: Sequence[Runs], maps: Sequence[str] = ()
) -> tuple[list[Couple], list[Runs], list[Runs]]:
    """Couples in the order of the base, and what is left on each side.

    By name and shape first, then by name alone in the order of the launches; the full name before the short one. Names
    of `maps` (`OLD=NEW`) belong together whatever they are, and to no other. Where each side holds one kernel only,
    the two are compared whatever they are called.
    """
    renamed = dict(_map(text, base, current) for text in maps)
    left, right = list(base), list(current)
    found: dict[int, Couple] = {}

    def take(key: Callable[[Runs, bool], Hashable], how: Matched, mapped: bool) -> None:
        waiting: dict[Hashable, list[Runs]] = {}
        for runs in right:
            if (_names(runs).isdisjoint(renamed.values())) is not mapped:
                waiting.setdefault(key(runs, False), []).append(runs)
        for runs in list(left):
            if _names(runs).isdisjoint(renamed) is mapped:
                continue
            others = waiting.get(key(runs, mapped))
            if others:
                other = others.pop(0)
                found[id(runs)] = (runs, other, how)
                left.remove(runs)
                right.remove(other)

    def shape(runs: Runs) -> Hashable:
        return (runs.launch.grid, runs.launch.block)

    def new_name(runs: Runs, is_base: bool) -> str:
        """The name on the current side that `--map` gave; a current kernel is known by whichever name was mapped."""
        mine = _names(runs)
        if is_base:
            return next(new for old, new in renamed.items() if old in mine)
        return next(new for new in renamed.values() if new in mine)

    if renamed:
        take(lambda r, b: (new_name(r, b), shape(r)), "map", True)
        take(new_name, "map", True)
    take(lambda r, _: (r.launch.kernel_full, shape(r)), "shape", False)
    take(lambda r, _: (r.launch.kernel, shape(r)), "shape", False)
    take(lambda r, _: r.launch.kernel_full, "name", False)
    take(lambda r, _: r.launch.kernel, "name", False)
    if len(base) == len(current) == 1 and not found:
        found[id(base[0])] = (base[0], current[0], "only")
        left, right = [], []
    return [found[id(runs)] for runs in base if id(runs) in found], left, right


def _names(runs: Runs) -> frozenset[str]:
    return frozenset((runs.launch.kernel, runs.launch.kernel_full))


def _map(text: str, base: Sequence[Runs], current: Sequence[Runs]) -> tuple[str, str]:
    """`OLD=NEW` as a pair; where a name holds `=` itself, the cut that leaves two names that are there."""
    olds = {name for runs in base for name in _names(runs)}
    news = {name for runs in current for name in _names(runs)}
    cuts = [(text[:at].strip(), text[at + 1 :].strip()) for at, c in enumerate(text) if c == "="]
    if not cuts:
        raise UsageError(f"--map {text!r} is not OLD=NEW: the kernel's name in the base and in the current report")
    for old, new in cuts:
        if old in olds and new in news:
            return old, new
    old, new = cuts[0]
    if old not in olds:
        raise UsageError(f"--map {text!r}: the base has no kernel called {old!r}{meant(old, olds)}")
    raise UsageError(f"--map {text!r}: the current report has no kernel called {new!r}{meant(new, news)}")


def meant(word: str, names: Iterable[str]) -> str:
    """`; it holds a, b, c` or the nearest names, for the end of an error."""
    from rapidfuzz import fuzz, process

    pool = sorted(names)
    near = process.extract(word, pool, scorer=fuzz.WRatio, limit=3, score_cutoff=60.0)
    shown = [name for name, _, _ in near] or pool[:3]
    return f": meant could be {', '.join(repr(name[:60]) for name in shown)}" if shown else ""
