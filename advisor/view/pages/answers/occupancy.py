"""What a what-if question about block size or occupancy implies: grid, waves, and the limit of this launch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

from advisor.hardware.gpus import limits_of
from advisor.hardware.occupancy import Occupancy, changes_needed, occupancy
from advisor.knowledge.base import catalog, metric_title
from advisor.reasoning.launch_shape import SHAPE
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.view.charts.bars import theoretical_limit, unit_limits
from advisor.view.numbers import counted, exact_text, percent_text, size_text
from advisor.view.pages.answers.parts import number_text

_ASKED: Final = ("occupancy_achieved_pct", "occupancy_theoretical_pct")
_WORDS: Final = {
    "registers": "at most {needed} registers per thread (now {now})",
    "shared": "at most {needed} of shared memory per block (now {now})",
    "block_size": "{needed} threads per block (now {now})",
}
_FIT: Final = "occupancy_theoretical_pct"
_IMPLIED: Final = ("grid_size", "occupancy_theoretical_pct", "waves", "blocks_per_sm_limit")
_LIMITS: Final = (
    "occupancy_achieved_pct",
    *(f"occupancy_limit_{name}" for name in ("registers", "shared", "blocks", "warps", "barriers")),
)
_REST: Final = "all other numbers stay as measured; only a profile shows how they change"
_KEPT: Final = f"as many threads as now; {_REST}"
_SHARED: Final = "shared_bytes_per_block"
_FILLED: Final = 50.0  # percent of the warp slots above which more warps are rarely what is missing
_ROUNDING: Final = 0.5  # points by which a value may be over the limit


def beyond_theoretical(launch: LaunchDiagnosis, values: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """Return that an assumed occupancy is above the theoretical one of the launch, and what would have to change."""
    limit = launch.metrics.get("occupancy_theoretical_pct")
    given = dict(values)
    asked = max((value for name, value in given.items() if name in _ASKED), default=0.0)
    if limit is None or asked <= limit + _ROUNDING or not set(SHAPE).isdisjoint(given):
        return ()
    why = theoretical_limit(launch.metrics, launch.labels)
    text = f"The theoretical occupancy of this launch is {percent_text(limit)}{f', {why}' if why else ''}"
    changes = _changes(launch, asked)
    then = f"For {percent_text(asked)} the launch needs {' and '.join(changes)}." if changes else ""
    return (
        f"{text}: {percent_text(asked)} is out of reach without a change of the launch.",
        *((then,) if then else ()),
    )


def assumptions(launch: LaunchDiagnosis, values: Iterable[tuple[str, float]]) -> tuple[str, tuple[str, ...]]:
    """Return the assumed values in words, and those that another launch implies with the values now.

    Implied values that are limits of single resources are left out: the theoretical occupancy follows from them.
    """
    given, have = dict(values), launch.metrics
    shaped = not set(SHAPE).isdisjoint(given)
    as_many = _same_threads(launch, given)
    implied = [name for name in _IMPLIED if shaped and name in given and (name != "grid_size" or as_many)]
    left_out = {*implied, *_LIMITS} if shaped else set()
    known = catalog().metrics
    text = ", ".join(
        f"{metric_title(name)} = {exact_text(value, known[name].unit if name in known else '')}"
        for name, value in given.items()
        if name not in left_out
    )
    rows = [
        f"{metric_title(name)} = {number_text(name, given[name])}"
        + (f" (now {number_text(name, have[name])})" if name in have else "")
        for name in implied
        if given[name] != have.get(name)
    ]
    stays = given.get(_FIT) if shaped and given.get(_FIT) == have.get(_FIT) else None
    rows += [f"{metric_title(_FIT)} stays {number_text(_FIT, stays)}"] if stays is not None else []
    more = (*_spills(launch, given), *_reserved(launch, given))
    return text, (*rows, *more, _KEPT if as_many else _REST) if shaped else ()


def _reserved(launch: LaunchDiagnosis, given: Mapping[str, float]) -> tuple[str, ...]:
    """Return which part of a supposed amount of shared memory the system reserves of each block."""
    try:
        size = limits_of(launch.cc).shared_reserved
    except UsageError:
        return ()
    return (f"{size:,} bytes of each block's shared memory are the system's",) if _SHARED in given and size else ()


def _same_threads(launch: LaunchDiagnosis, given: Mapping[str, float]) -> bool:
    """Return whether the grid is the one of as many threads that another block size implies."""
    have = launch.metrics
    if not {"grid_size", "block_size"} <= set(given) or not {"grid_size", "block_size"} <= set(have):
        return False
    return given["grid_size"] == math.ceil(have["grid_size"] * have["block_size"] / max(given["block_size"], 1.0))


def _spills(launch: LaunchDiagnosis, given: Mapping[str, float]) -> tuple[str, ...]:
    """Return what another number of registers means for spills, which only the compiler knows."""
    now, then = (values.get("registers_per_thread") for values in (launch.metrics, given))
    if now is None or then is None or now == then:
        return ()
    spills = launch.metrics.get("spill_inst", 0.0) > 0
    if then > now:
        return (f"whether the spills end with {then:.0f} registers, `-Xptxas -v` shows",) if spills else ()
    more = "spill more" if spills else "spill"
    return (f"the compiler uses {now:.0f} registers: with {then:.0f} it may {more}, `-Xptxas -v` shows it",)


def not_the_cause(launch: LaunchDiagnosis) -> str:
    """Return in numbers why occupancy is not what limits a launch without such a finding; empty if it is unknown."""
    have = launch.metrics
    achieved, theoretical = have.get("occupancy_achieved_pct"), have.get("occupancy_theoretical_pct")
    if achieved is None:
        return ""
    low = achieved < _FILLED
    parts = [f"{'only ' if low else ''}{percent_text(achieved)} of the warp slots are filled"]
    if theoretical is not None:
        parts[0] += f" ({percent_text(theoretical)} are possible)"
    if (eligible := have.get("eligible_warps")) is not None:
        parts.append(f"{eligible:.1f} warps per scheduler are ready to issue in an average cycle")
    sides = {side: have[f"{side}_pct"] for side in ("memory", "compute") if f"{side}_pct" in have}
    if sides:
        side = max(sides, key=lambda name: sides[name])
        parts.append(f"{side} runs at {percent_text(sides[side])} of its peak")
    if low and len(parts) > 1:
        return f"No: {parts[0]}, but {' and '.join(parts[1:])}."
    return f"No: {', '.join(parts[:-1])}{' and ' if parts[:-1] else ''}{parts[-1]}."


def waits_unfilled(launch: LaunchDiagnosis) -> bool:
    """Return whether warp slots are free while schedulers lack a ready warp and no unit is utilised."""
    have = launch.metrics
    achieved, eligible = have.get("occupancy_achieved_pct"), have.get("eligible_warps")
    sides = [have[f"{side}_pct"] for side in ("memory", "compute") if f"{side}_pct" in have]
    if achieved is None or eligible is None or not sides:
        return False
    return achieved <= _FILLED and eligible < 1 and max(sides) < unit_limits()[0]


def fits_with(launch: LaunchDiagnosis, registers: int) -> Occupancy | None:
    """Return the theoretical occupancy of the launch with this number of registers per thread; None if unknown."""
    block, shared = (launch.metrics.get(name) for name in ("block_size", "shared_bytes_per_block"))
    try:
        limits = limits_of(launch.cc)
        if not block or shared is None or registers < 1:
            return None
        return occupancy(limits, int(block), registers, max(0, int(shared) - limits.shared_reserved))
    except UsageError:
        return None


def with_registers(launch: LaunchDiagnosis, registers: int) -> str:
    """Return the theoretical occupancy with this number of registers per thread; empty if the launch is unknown."""
    have, fits = launch.metrics, fits_with(launch, registers)
    if fits is None:
        return ""
    block, now = have["block_size"], have.get("registers_per_thread")
    text = f"{counted(registers, 'register')} per thread let {counted(fits.blocks, 'block')} of "
    text += f"{counted(int(block), 'thread')} run on an SM"
    text += f": theoretical occupancy {percent_text(fits.percent)}"
    if now is not None:
        theoretical = have.get("occupancy_theoretical_pct")
        at = f", {percent_text(theoretical)}" if theoretical is not None else ""
        text += f" (now {now:.0f} registers{at})"
    return f"{text}."


def _changes(launch: LaunchDiagnosis, percent: float) -> tuple[str, ...]:
    """Return the resources that would have to change, in words; empty if the launch lacks one of the numbers."""
    have = launch.metrics
    try:
        limits = limits_of(launch.cc)
    except UsageError:
        return ()
    block, registers, shared = (have.get(n) for n in ("block_size", "registers_per_thread", "shared_bytes_per_block"))
    if not block or registers is None or shared is None:
        return ()
    # The number of a report includes what the system reserves of each block.
    requested = max(0, int(shared) - limits.shared_reserved)
    found = changes_needed(limits, int(block), int(registers), requested, limits.shared_per_sm, percent)
    return tuple(
        _WORDS[name].format(**{key: size_text(value) if name == "shared" else f"{value:,}" for key, value in pair})
        for name, now, needed in found
        for pair in [(("now", now), ("needed", needed))]
    )
