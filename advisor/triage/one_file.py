"""Read one file and fold its launches into groups; the same function serves local processes and a cluster."""

from __future__ import annotations

import base64
import errno
import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from advisor import __version__
from advisor.hardware.ceilings import key_of
from advisor.knowledge.base import Catalog, catalog
from advisor.knowledge.schemas import FixDef
from advisor.readers.container import Limits
from advisor.readers.formats import sniff
from advisor.readers.read import read
from advisor.reasoning.assemble import verdict_and_finding
from advisor.reasoning.conclude import Conclusions, conclude, engine_of, in_order
from advisor.reasoning.domain import domain_of
from advisor.reasoning.enrich import add_neighbours, of_kernels
from advisor.reasoning.fixes import chosen_fix
from advisor.reasoning.inputs import Inputs, checked_answers, knowledge_for
from advisor.reasoning.ranking import Ranked
from advisor.reasoning.time_model import model
from advisor.reasoning.time_model.budget import candidates_of, chosen_budgets
from advisor.records.child import claim_output, lines_in
from advisor.records.diagnosis import saved_of
from advisor.records.errors import AdvisorError, InputError, UsageError
from advisor.records.regular_files import why_special
from advisor.triage.tally import METRICS, PS, CauseTally, Conclusion, Example, Key, Part, Row, Settings, Tally

_FULL = "the disk for temporary files is full: free space or set TMPDIR"
_CACHED = 20_000  # number of conclusions to cache; others are calculated again, so that memory stays bounded


def examine(path: Path, label: str, settings: Settings) -> Part:
    """Read one file and analyse all its launches at once. label: its name in the result.

    Problems of the file or the machine are in the part. Raises UsageError for invalid settings.
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
        return _again("there is not enough memory to read it")
    # A child that cannot write its copy loses launches; the file itself is not damaged.
    return _again(_FULL) if not part.complete and not part.foreign and _no_room(path) else part


def _again(why: str) -> Part:
    return Part(refused=why, complete=False, missing=None, again=True)


def _no_room(path: Path) -> bool:
    """Return whether the folder for temporary files lacks the space for a copy of the file."""
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free < path.stat().st_size
    except OSError:
        return True


def examine_packed(path: str, label: str, settings: bytes) -> bytes:
    """Examine a file in another process or machine. Raises UsageError if it runs another version of this program."""
    asked = _unpacked(settings)
    if asked.version != __version__:
        raise UsageError(f"ncu-advisor is {__version__} there and {asked.version} here: install the same version")
    try:
        part = examine(Path(path), label, asked)
    except AdvisorError:
        raise
    except Exception as error:
        # A bug here must not lose the other files.
        part = Part(refused=f"this program failed on it: {type(error).__name__}: {error}", complete=False, missing=None)
    return msgspec.msgpack.encode(part)


def main() -> None:
    """Serve a process that reads files for a triage.

    The first input line is the packed settings in base64; each further line is [path, label] as JSON. The answer is the
    packed Part in base64, or `!` and the error in the request itself.
    """
    send, lines = claim_output(), lines_in()
    settings = base64.b64decode(next(lines, b""))
    for line in lines:
        path, label = msgspec.json.decode(line, type=tuple[str, str])
        try:
            send(base64.b64encode(examine_packed(path, label, settings)))
        except AdvisorError as error:
            send(b"!" + str(error).encode("utf-8", "replace"))
    os._exit(0)


@lru_cache(maxsize=4)
def _unpacked(settings: bytes) -> Settings:
    return msgspec.msgpack.decode(settings, type=Settings)


def _examine(path: Path, label: str, settings: Settings) -> Part:
    # A file that cannot be opened is not `foreign`: a worker of a cluster may not see the folder.
    if not why_special(path):
        path.open("rb").close()
    try:
        sniff(path)
    except InputError as error:
        why = str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
        return Part(refused=why, complete=False, missing=None, foreign=True)
    # Use one child, because the files themselves are read in parallel.
    reading = read(path, limits=Limits(children=1))
    info, frame = reading.info, add_neighbours(reading.frame)
    part = Part(info.tool, info.format, info.sha256, 0, info.complete, info.launches_missing, info.problems)
    if settings.kernel is not None:
        found = of_kernels(frame, re.compile(settings.kernel)).reset_index(drop=True)
        if not len(found):
            part.unmatched = tuple(dict.fromkeys(map(str, frame["kernel"])))
        frame = found
    if not len(frame):
        return part
    known = knowledge_for(catalog(tuple(map(Path, settings.knowledge))), (info,))
    answers = checked_answers(known, settings.answers)
    inputs = Inputs(frame, (info,), settings.gpu, {None: answers}, settings.ceilings)
    concluded = conclude(known, inputs)
    part.launches = len(frame)
    _fold(part, known, concluded, label, settings.rows)
    part.used = _used(concluded, settings)
    engine_of(known).forget(_CACHED)
    return part


def _used(concluded: Conclusions, settings: Settings) -> tuple[str, ...]:
    """Return the measured ceilings that were used: of GPUs that ran a launch with a known peak."""
    if not settings.ceilings:
        return ()
    frame = concluded.frame
    gpus = zip(frame["gpu_name"], frame["cc"], frame["dram_peak_bytes_per_s"], strict=True)
    return tuple(sorted({key for n, c, peak in gpus if (key := key_of(str(n), str(c))) in settings.ceilings and peak}))


def _fold(part: Part, catalog: Catalog, concluded: Conclusions, label: str, rows: bool) -> None:
    """Fold the launches of one frame into groups, each with an example and its conclusions."""
    frame = concluded.frame
    durations = _column(concluded, "duration_ns")
    texts = [frame[name].tolist() for name in ("kernel_full", "kernel", "grid", "block", "gpu_name", "cc", "index")]
    metrics = [_column(concluded, name) for name in METRICS] if rows else []
    groups: dict[Key, Tally] = {}
    examples: dict[Key, tuple[tuple[int, int, int], int]] = {}
    order: dict[int, tuple[Ranked, ...]] = {}
    for row, (full, kernel, grid, block, gpu, cc, index) in enumerate(zip(*texts, strict=True)):
        key = Key(
            str(full), str(kernel), grid or (), block or (), str(gpu or ""), str(cc or ""),
            concluded.known_as[row], catalog.scope,
        )  # fmt: skip
        placed = in_order(catalog, concluded, row)
        tally = groups.setdefault(key, Tally(reports=1))
        back = _count(tally, placed, concluded.traces[row].class_id, durations[row])
        rank = (-back, -_ps(durations[row]), int(index))
        if key not in examples or rank < examples[key][0]:
            examples[key], order[row] = (rank, row), placed
        if rows:
            part.rows.append(
                _row(int(index), key, durations[row], concluded.traces[row].class_id, placed, metrics, row)
            )
    chosen = {key: row for key, (_, row) in examples.items()}
    budgets = _budgets(catalog, concluded, list(chosen.values()), order)
    for key, row in chosen.items():
        groups[key].example = _example(catalog, concluded, row, order[row], label, int(texts[6][row]), budgets.get(row))
    part.groups = list(groups.items())


def _column(concluded: Conclusions, name: str) -> list[float]:
    column = concluded.observed.columns.get(name)
    return [math.nan] * len(concluded.frame) if column is None else [float(v) for v in column.tolist()]


def _ps(duration: float) -> int:
    return round(duration * PS) if math.isfinite(duration) and duration > 0 else 0


def _back(time: int, fix: Ranked | None) -> int:
    """Return the part of a time that a fix saves at its estimate, both in picoseconds; 0 without an estimate."""
    return 0 if fix is None or fix.speedup is None else round(saved_of(time, fix.speedup.estimate))


def first_of(placed: Iterable[Ranked]) -> tuple[Ranked | None, Ranked | None]:
    """Return the first diagnosis, and the first with a gain, which `diagnose --top` ranks by."""
    diagnoses = [f for f in placed if f.kind == "diagnosis"]
    return (diagnoses[0] if diagnoses else None), next((f for f in diagnoses if f.speedup is not None), None)


def _count(tally: Tally, placed: tuple[Ranked, ...], class_id: str, duration: float) -> int:
    """Add one launch to its group; return the picoseconds that its own first fix saves."""
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
            cause.back_ps += _back(time, finding)
            cause.low_ps += round(saved_of(time, finding.speedup.low))
            cause.high_ps += round(saved_of(time, finding.speedup.high))
    return _back(time, fix)


def _row(
    index: int,
    key: Key,
    duration: float,
    class_id: str,
    placed: tuple[Ranked, ...],
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
        _back(time, fix) / PS if time and speedup is not None else None,
        tuple(f.id for f in placed if f.kind == "diagnosis"),
        tuple(column[row] if math.isfinite(column[row]) else None for column in metrics),
    )


def _budgets(
    catalog: Catalog, concluded: Conclusions, rows: list[int], order: Mapping[int, tuple[Ranked, ...]]
) -> dict[int, Any]:
    """Return the combined gain of all fixes for each of these launches."""
    if not domain_of(catalog).modelled:
        return {}
    wanted = {row: found for row in rows if len(found := _candidates(catalog, concluded, row, order[row])) >= 2}
    if not wanted:
        return {}
    at = list(wanted)
    columns = {name: column[at] for name, column in concluded.observed.columns.items()}
    return dict(zip(at, chosen_budgets(model.build(columns, len(at)), list(wanted.values())), strict=True))


def _candidates(catalog: Catalog, concluded: Conclusions, row: int, placed: tuple[Ranked, ...]) -> dict[str, FixDef]:
    chosen = {f.id: chosen_fix(catalog.findings[f.id], concluded.traces[row]) for f in placed}
    return candidates_of(placed, {name: fix for name, fix in chosen.items() if fix is not None})


def _example(
    catalog: Catalog, concluded: Conclusions, row: int, placed: tuple[Ranked, ...], label: str, index: int, budget: Any
) -> Example:
    first, fix = first_of(placed)
    verdict, finding = verdict_and_finding(catalog, concluded, row, first.id if first is not None else None)
    time = _ps(concluded.observed.value(row, "duration_ns"))
    return Example(label, index, time, _back(time, fix), msgspec.msgpack.encode(Conclusion(verdict, finding, budget)))
