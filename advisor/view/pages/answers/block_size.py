"""The answer which block size to use: the theoretical occupancy and the waves with each size, for as many threads."""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct

from advisor.hardware.gpus import Limits, limits_of
from advisor.hardware.occupancy import occupancy
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.records.questions import BLOCK_SIZE, Meaning
from advisor.view.blocks import Block, Cell, Column, Fact, Facts, Table
from advisor.view.numbers import count_text, percent_text, size_text
from advisor.view.pages.answers.occupancy import not_the_cause
from advisor.view.pages.answers.parts import Answer, Answers, Asked, gain_text, lacking

# From two warps to the most threads of a block: the sizes that kernels are written with.
_SIZES: Final = (64, 96, 128, 192, 256, 384, 512, 768, 1024)
_NEEDED: Final = ("block_size", "registers_per_thread")
_SHARED: Final = "shared_bytes_per_block"
_SAME: Final = 1.0  # points of occupancy that are no difference
_COLUMNS: Final = (
    Column("Threads", numeric=True),
    Column("Per SM", numeric=True),
    Column("Occupancy", numeric=True),
    Column("Blocks", numeric=True, spare=1),
    Column("Waves", numeric=True),
)


class _Size(Struct, frozen=True):
    """A block size with what it implies. held: blocks on an SM; percent: theoretical occupancy; blocks: of the grid."""

    threads: int
    held: int
    percent: float
    blocks: int = 0
    waves: float = 0.0


def _block_size(meaning: Meaning, asked: Asked) -> Answer:
    """Return the block sizes with the most resident warps, and whether more of them are what the launch lacks."""
    launch, have = asked.launch, asked.launch.metrics
    missing = tuple(name for name in _NEEDED if not have.get(name, math.nan) >= 1)
    if missing:
        return lacking(missing, launch, asked)
    if not launch.cc:
        return Answer("Unknown: the report does not name its GPU; `--gpu NAME` of `diagnose` does.", "unknown")
    try:
        made = _sizes(launch, limits_of(launch.cc))
    except UsageError as problem:
        return Answer(f"The limits of this GPU are not known: {problem}.", "unknown")
    now = next((size for size in made if size.threads == int(have["block_size"])), None)
    if now is None:
        return Answer(f"{have['block_size']:,.0f} threads per block do not fit this GPU by its table.", "unknown")
    stated = have.get("occupancy_theoretical_pct", now.percent)
    if _SHARED not in have and not abs(stated - now.percent) < _SAME:
        return lacking((_SHARED,), launch, asked)
    sms = int(have.get("sm_count", 0.0))
    best = _best(made, now, sms)
    sizes = [size for size in made if size.threads in _SIZES or size is now or size is best[0]]
    blocks: tuple[Block, ...] = (Facts(_facts(launch)), _table(sizes, now, best))
    others = sorted((size for size in sizes if size is not now), key=lambda size: (size not in best, -size.percent))
    then = (f"what if the block size was {others[0].threads}",) if others else ()
    return Answer(_says(now, best, sms), blocks=blocks, then=(*then, "why is it slow"))


def _best(sizes: list[_Size], now: _Size, sms: int) -> list[_Size]:
    """Return the sizes to choose from: with most warps on an SM, or, in a grid too small for all SMs, the most blocks.

    Of the sizes that kernels are written with, unless only another one has as many warps.
    """
    if 0 < now.blocks < sms:
        reach = max(min(size.blocks, sms) for size in sizes)
        return [max((s for s in sizes if min(s.blocks, sms) == reach), key=lambda s: (s.percent, s.threads))]
    most = max(size.percent for size in sizes)
    best = [size for size in sizes if most - size.percent < _SAME]
    return [size for size in best if size.threads in _SIZES or size is now] or best[:1]


def _sizes(launch: LaunchDiagnosis, limits: Limits) -> list[_Size]:
    """Return all sizes of whole warps that fit, and the one of now. Raises UsageError for one of now that does not."""
    have = launch.metrics
    now, registers = int(have["block_size"]), int(have["registers_per_thread"])
    shared = max(0, int(have.get(_SHARED, 0)) - limits.shared_reserved)
    threads, sms = have.get("grid_size", 0.0) * now, have.get("sm_count", 0.0)
    made = []
    for size in sorted({*range(_SIZES[0], limits.threads_per_block + 1, 32), now}):
        if size > limits.threads_per_block:
            continue
        fits = occupancy(limits, size, registers, shared)
        if not fits.blocks:
            continue
        blocks = math.ceil(threads / size)
        waves = blocks / (fits.blocks * sms) if sms else 0.0
        made.append(_Size(size, fits.blocks, fits.percent, blocks, waves))
    return made


def _says(now: _Size, best: list[_Size], sms: int) -> str:
    if 0 < now.blocks < sms:
        few = f"the grid has fewer blocks ({now.blocks:,}) than the GPU has SMs ({sms:,})"
        if now in best:
            return f"{now.threads:,}, as now: {few}, and no smaller block gives more of them work."
        return f"{best[0].threads:,}: {few}, and as many threads in smaller blocks are {best[0].blocks:,} blocks."
    if now in best:
        others = [size for size in best if size is not now]
        also = f"; {_listed(others)} {'keeps' if len(others) == 1 else 'keep'} as many" if others else ""
        text = f"{now.threads:,}, as now: no other block size lets more warps run on an SM"
        return f"{text} (theoretical occupancy {percent_text(now.percent)}){also}."
    text = f"{_listed(best)}: theoretical occupancy {percent_text(max(size.percent for size in best))}"
    return f"{text}, instead of {percent_text(now.percent)} with {now.threads:,}."


def _listed(sizes: list[_Size]) -> str:
    texts = [f"{size.threads:,}" for size in sizes]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def _facts(launch: LaunchDiagnosis) -> tuple[Fact, ...]:
    have = launch.metrics
    rows = []
    finding = next((f for f in launch.findings if f.id.startswith("low_occupancy") or f.id == "grid_too_small"), None)
    if finding is not None:
        rows.append(Fact("It matters", f"{finding.title}{gain_text(finding)}: {finding.because}"))
    elif enough := not_the_cause(launch):
        rows.append(Fact("More warps?", enough))
    kept = f"{count_text(have['registers_per_thread'])} registers per thread"
    shared = int(have.get(_SHARED, 0)) - limits_of(launch.cc).shared_reserved
    if shared > 0:
        kept += f", {size_text(shared)} of shared memory per block (a kernel whose tile follows the block changes it)"
    rows.append(Fact("Kept", kept))
    table = "blocks that fit on an SM, theoretical occupancy, and blocks and waves of as many threads as now"
    rows.append(Fact("For each size", table))
    return tuple(rows)


def _table(sizes: list[_Size], now: _Size, best: list[_Size]) -> Table:
    rows = tuple(
        (
            Cell(f"{size.threads:,}{' (now)' if size is now else ''}", size.threads),
            Cell(f"{size.held}", size.held),
            Cell(percent_text(size.percent), size.percent, tone="good" if size in best else "plain"),
            Cell(f"{size.blocks:,}" if size.blocks else "unknown", size.blocks),
            Cell(f"{size.waves:.3g}" if size.waves else "unknown", size.waves),
        )
        for size in sizes
    )
    return Table(_COLUMNS, rows)


ANSWERS: Final[Answers] = {BLOCK_SIZE: _block_size}
