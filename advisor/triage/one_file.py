"""One file in, its launches folded into groups out: the same function for a process here and for one of a cluster."""

from __future__ import annotations

import errno
import math
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from advisor import __version__
from advisor.hardware.ceilings import Ceilings
from advisor.records.diagnosis import Speedup
from advisor.records.errors import AdvisorError, InputError, UsageError
from advisor.records.regular_files import why_special
from advisor.triage.tally import PS, CauseTally, Example, Key, Tally

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.reasoning.conclude import Conclusions

# Metrics that a row of the table of launches has beside what was concluded: how busy the units are, and what limits.
METRICS = (
    *(
        "compute_pct",
        "memory_pct",
        "dram_pct",
        "l2_pct",
        "l1_wavefronts_pct",
        "shared_l1_pct",
        "issue_pct",
        "pipe_fma_pct",
    ),
    *("pipe_tensor_pct", "occupancy_achieved_pct", "occupancy_theoretical_pct", "registers_per_thread"),
    *("shared_bytes_per_block", "waves", "dram_bytes", "dram_bytes_per_s", "l1_hit_pct", "l2_hit_pct", "sm_clock_hz"),
)
_FULL = "the disk for temporary files is full: make room or set TMPDIR"
_CACHED = 20_000  # conclusions kept; beyond it they are worked out again, so that memory stays bounded


class Settings(msgspec.Struct, frozen=True):
    """What decides about every file alike. version: of the program that asks; ceilings: measured on its machine."""

    version: str = __version__
    knowledge: tuple[str, ...] = ()
    gpu: str | None = None
    kernel: str | None = None
    answers: dict[str, float | str] = {}
    ceilings: dict[str, Ceilings] = {}
    rows: bool = False


class Row(msgspec.Struct, frozen=True):
    """One launch as the table of launches has it; back in ns, None where unknown."""

    index: int
    key: Key
    duration_ns: float | None
    class_id: str
    first: str
    fix: str
    speedup: float | None
    back_ns: float | None
    findings: tuple[str, ...]
    metrics: tuple[float | None, ...]


class Part(msgspec.Struct):
    """What one file gives. refused: why nothing of it was read; foreign: it is no profile at all.

    again: the machine and not the file is to blame, so that another try may help. used: keys of measured ceilings.
    """

    tool: str = ""
    form: str = ""
    sha256: str = ""
    launches: int = 0
    complete: bool = True
    missing: int | None = 0
    problems: tuple[str, ...] = ()
    refused: str = ""
    foreign: bool = False
    again: bool = False
    used: tuple[str, ...] = ()
    groups: list[tuple[Key, Tally]] = []
    rows: list[Row] = []


@dataclass(frozen=True, slots=True)
class _Ranked:
    id: str
    kind: str
    speedup: Speedup | None


def examine(path: Path, label: str, settings: Settings) -> Part:
    """Read one file and conclude about all its launches at once. `label`: what the result calls it.

    Whatever is wrong with the file or the machine is in the part; UsageError where the settings cannot be meant.
    """
    try:
        part = _examine(path, label, settings)
    except InputError as error:
        why = str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
        part = Part(refused=why, complete=False, missing=None)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return _again(_FULL if full else (error.strerror or str(error)).lower())
    except MemoryError:
        return _again("reading it needs more memory than is there")
    # A child that cannot write its copy loses launches: that must not pass for damage.
    return _again(_FULL) if not part.complete and not part.foreign and _no_room(path) else part


def _again(why: str) -> Part:
    return Part(refused=why, complete=False, missing=None, again=True)


def _no_room(path: Path) -> bool:
    """Whether the folder for temporary files has no room for a copy of the file."""
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free < path.stat().st_size
    except OSError:
        return True


def examine_packed(path: str, label: str, settings: bytes) -> bytes:
    """The same for another process or machine; UsageError where it runs another version of this program."""
    asked = _unpacked(settings)
    if asked.version != __version__:
        raise UsageError(f"ncu-advisor is {__version__} there and {asked.version} here: install the same version")
    try:
        part = examine(Path(path), label, asked)
    except AdvisorError:
        raise
    except Exception as error:
        # A mistake of ours must not cost the other files.
        part = Part(refused=f"this program failed on it: {type(error).__name__}: {error}", complete=False, missing=None)
    return msgspec.msgpack.encode(part)


@lru_cache(maxsize=4)
def _unpacked(settings: bytes) -> Settings:
    return msgspec.msgpack.decode(settings, type=Settings)


def knowledge_of(settings: Settings) -> Catalog:
    """The knowledge base that the settings name."""
    from advisor.knowledge.base import catalog

    return catalog(tuple(Path(folder) for folder in settings.knowledge))


def _examine(path: Path, label: str, settings: Settings) -> Part:
    from advisor.readers.container import Limits
    from advisor.readers.formats import sniff
    from advisor.readers.read import read
    from advisor.reasoning.conclude import conclude, engine_of
    from advisor.reasoning.enrich import add_neighbours
    from advisor.reasoning.inputs import Inputs, checked_answers, knowledge_for

    # What cannot even be opened is no stranger: a worker of a cluster may not see the folder.
    if not why_special(path):
        path.open("rb").close()
    try:
        sniff(path)
    except InputError as error:
        why = str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
        return Part(refused=why, complete=False, missing=None, foreign=True)
    # One child: the files themselves are read side by side.
    reading = read(path, limits=Limits(children=1))
    info, frame = reading.info, add_neighbours(reading.frame)
    part = Part(info.tool, info.format, info.sha256, 0, info.complete, info.launches_missing, info.problems)
    if settings.kernel is not None:
        pattern = re.compile(settings.kernel)
        frame = frame[[bool(pattern.search(str(name))) for name in frame["kernel_full"]]].reset_index(drop=True)
    if not len(frame):
        return part
    catalog = knowledge_for(knowledge_of(settings), (info,))
    answers = checked_answers(catalog, settings.answers)
    inputs = Inputs(frame, (info,), settings.gpu, {None: answers}, settings.ceilings)
    weighed = conclude(catalog, inputs)
    part.launches = len(frame)
    _fold(part, catalog, weighed, label, settings.rows)
    part.used = _used(weighed, settings)
    engine_of(catalog).forget(_CACHED)
    return part


def _used(weighed: Conclusions, settings: Settings) -> tuple[str, ...]:
    """The measured ceilings that decided here: of cards that a launch with a known peak ran on."""
    from advisor.hardware.ceilings import key_of

    if not settings.ceilings:
        return ()
    frame = weighed.frame
    cards = zip(frame["gpu_name"], frame["cc"], frame["dram_peak_bytes_per_s"], strict=True)
    return tuple(sorted({key for n, c, peak in cards if (key := key_of(str(n), str(c))) in settings.ceilings and peak}))


def _fold(part: Part, catalog: Catalog, weighed: Conclusions, label: str, rows: bool) -> None:
    """The launches of one frame put into groups; what stands for each group is told in words."""
    from advisor.reasoning.ranking import kind_of, ranked

    frame = weighed.frame
    durations = _column(weighed, "duration_ns")
    texts = [frame[name].tolist() for name in ("kernel_full", "kernel", "grid", "block", "gpu_name", "cc", "index")]
    metrics = [_column(weighed, name) for name in METRICS] if rows else []
    groups: dict[Key, Tally] = {}
    stands: dict[Key, tuple[tuple[int, int, int], int]] = {}
    order: dict[int, tuple[_Ranked, ...]] = {}
    for row, (full, kernel, grid, block, gpu, cc, index) in enumerate(zip(*texts, strict=True)):
        key = Key(
            str(full), str(kernel), grid or (), block or (), str(gpu or ""), str(cc or ""),
            weighed.known_as[row], catalog.scope,
        )  # fmt: skip
        gains = weighed.gains[row]
        found = [_Ranked(f, kind_of(catalog, f, gains.get(f)), gains.get(f)) for f in weighed.traces[row].findings]
        placed = ranked(catalog, found)
        tally = groups.setdefault(key, Tally(reports=1))
        back = _count(tally, placed, weighed.traces[row].class_id, durations[row])
        rank = (-back, -_ps(durations[row]), int(index))
        if key not in stands or rank < stands[key][0]:
            stands[key], order[row] = (rank, row), placed
        if rows:
            part.rows.append(_row(int(index), key, durations[row], weighed.traces[row].class_id, placed, metrics, row))
    chosen = {key: row for key, (_, row) in stands.items()}
    budgets = _budgets(catalog, weighed, list(chosen.values()), order)
    for key, row in chosen.items():
        groups[key].example = _example(catalog, weighed, row, order[row], label, int(texts[6][row]), budgets.get(row))
    part.groups = list(groups.items())


def _column(weighed: Conclusions, name: str) -> list[float]:
    column = weighed.observed.columns.get(name)
    return [math.nan] * len(weighed.frame) if column is None else [float(v) for v in column.tolist()]


def _ps(duration: float) -> int:
    return round(duration * PS) if math.isfinite(duration) and duration > 0 else 0


def _back(time: int, speedup: float) -> int:
    """Picoseconds that a fix gives back of a time in picoseconds; nothing where it would cost some."""
    return round(time * (1 - 1 / speedup)) if speedup > 1 else 0


def first_of(placed: Iterable[_Ranked]) -> tuple[_Ranked | None, _Ranked | None]:
    """The first diagnosis, and the first with a gain: what `diagnose --top` ranks by."""
    diagnoses = [f for f in placed if f.kind == "diagnosis"]
    return (diagnoses[0] if diagnoses else None), next((f for f in diagnoses if f.speedup is not None), None)


def _count(tally: Tally, placed: tuple[_Ranked, ...], class_id: str, duration: float) -> int:
    """Add one launch to its group; the picoseconds that its own first fix gives back."""
    time = _ps(duration)
    tally.launches += 1
    tally.duration_ps += time
    tally.classes[class_id] = tally.classes.get(class_id, 0) + 1
    if time:
        tally.shortest_ps = min(tally.shortest_ps or time, time)
        tally.longest_ps = max(tally.longest_ps or time, time)
    else:
        tally.untimed += 1
    first, fix = first_of(placed)
    for finding in placed:
        if finding.kind != "diagnosis":
            tally.remarks[finding.id] = tally.remarks.get(finding.id, 0) + 1
            continue
        cause = tally.causes.setdefault(finding.id, CauseTally())
        cause.launches += 1
        if finding is first:
            cause.first += 1
            cause.first_ps += time
        if finding is fix:
            cause.fix += 1
            cause.fix_ps += time
        if finding.speedup is not None:
            cause.back_ps += _back(time, finding.speedup.estimate)
            cause.low_ps += _back(time, finding.speedup.low)
            cause.high_ps += _back(time, finding.speedup.high)
    return _back(time, fix.speedup.estimate) if fix is not None and fix.speedup is not None else 0


def _row(
    index: int,
    key: Key,
    duration: float,
    class_id: str,
    placed: tuple[_Ranked, ...],
    metrics: list[list[float]],
    row: int,
) -> Row:
    first, fix = first_of(placed)
    speedup = fix.speedup.estimate if fix is not None and fix.speedup is not None else None
    time = _ps(duration)
    return Row(
        index,
        key,
        duration if time else None,
        class_id,
        first.id if first is not None else "",
        fix.id if fix is not None else "",
        speedup,
        _back(time, speedup) / PS if time and speedup is not None else None,
        tuple(f.id for f in placed if f.kind == "diagnosis"),
        tuple(column[row] if math.isfinite(column[row]) else None for column in metrics),
    )


def _budgets(
    catalog: Catalog, weighed: Conclusions, rows: list[int], order: Mapping[int, tuple[_Ranked, ...]]
) -> dict[int, Any]:
    """What all fixes of each of these launches give together, estimated for all of them at once."""
    from advisor.reasoning.domain import domain_of
    from advisor.reasoning.time_model import model
    from advisor.reasoning.time_model.budget import budgets, candidates_of

    if not domain_of(catalog).modelled:
        return {}
    wanted = {row: found for row in rows if len(found := candidates_of(catalog, order[row])) >= 2}
    if not wanted:
        return {}
    at = list(wanted)
    columns = {name: column[at] for name, column in weighed.observed.columns.items()}
    fixes = {f: fix for found in wanted.values() for f in found if (fix := catalog.findings[f].fix) is not None}
    return dict(zip(at, budgets(model.build(columns, len(at)), fixes, list(wanted.values())), strict=True))


def _example(
    catalog: Catalog,
    weighed: Conclusions,
    row: int,
    placed: tuple[_Ranked, ...],
    label: str,
    index: int,
    budget: Any,
) -> Example:
    from advisor.reasoning.assemble import verdict_and_finding

    first, fix = first_of(placed)
    verdict, finding = verdict_and_finding(catalog, weighed, row, first.id if first is not None else None)
    time = _ps(weighed.observed.value(row, "duration_ns"))
    back = _back(time, fix.speedup.estimate) if fix is not None and fix.speedup is not None else 0
    return Example(label, index, time, back, verdict, finding, budget)
