"""Check the exercise folders: manifests are valid, every file is named, and every named file exists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from advisor.knowledge.base import Catalog, timelines
from advisor.knowledge.loader import key_line, load
from advisor.practice.launchlines import read_lines
from advisor.practice.manifest import (
    CARDS,
    MANIFEST,
    RECORD,
    REPORT,
    Exercise,
    StepDef,
    any_exercise,
    case,
    digest,
    exercise,
    home,
    names,
    recorded_in,
    recording,
)
from advisor.practice.predictions import MINE
from advisor.practice.readings import LARGEST, NOTHING, READING, load_reading, reading_names
from advisor.records import resources
from advisor.records.errors import AdvisorError, KnowledgeError

LEAST_HINTS = 3
LEAST_HINTS_READ = 2
LEAST_RUNS = 20
MOST_RECORDED = 24_000_000  # total bytes of all recordings, including the demo's
# Folders of kernels/ that are not exercises: the demo's report, and the kernels that measure a GPU's ceilings.
OTHER = ("tour", "ceilings")


class Fault(Struct, frozen=True, order=True):
    """A fault of a folder and its location."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def faults(catalog: Catalog) -> tuple[Fault, ...]:
    """Return all faults in kernels/, in order."""
    known = (*names(), *reading_names(), *OTHER)
    found = [
        Fault(folder / MANIFEST, 1, "missing: every folder here must be an exercise")
        for folder in sorted(resources.folder("kernels").iterdir())
        if folder.is_dir() and folder.name not in known and not folder.name.startswith(("_", "."))
    ]
    found += [fault for name in reading_names() for fault in _reading(name, catalog)]
    for name in names():
        path = home(name) / MANIFEST
        try:
            one = exercise(name)
            case(name)
        except AdvisorError as e:
            found.append(_fault(e, path))
            continue
        found += _manifest(one, path, catalog)
        found += _files(one)
    kept = [p.stat().st_size for p in resources.folder("kernels").glob("*/recorded/*/*")]
    if sum(kept) > MOST_RECORDED:
        text = f"the recordings take {sum(kept) / 1e6:.1f} MB, {MOST_RECORDED / 1e6:.0f} MB at most"
        found.append(Fault(resources.folder("kernels"), 1, text))
    return tuple(sorted(set(found)))


def _reading(name: str, catalog: Catalog) -> Iterator[Fault]:
    """Return the faults of an exercise that is read."""
    path = home(name) / READING
    try:
        one = load_reading(name)
    except AdvisorError as e:
        yield _fault(e, path)
        return
    known = (NOTHING, *(timelines(catalog).findings if one.kind == "timeline" else catalog.trust))
    if one.expect not in known:
        yield Fault(path, key_line(path, "expect"), f"there is no {one.kind} finding {one.expect!r}")
    if len(one.hints) < LEAST_HINTS_READ:
        yield Fault(path, key_line(path, "hints"), f"needs at least {LEAST_HINTS_READ} hints")
    for key in one.cites:
        if catalog.cite(key) is None:
            yield Fault(path, key_line(path, "cites"), f"no source {key!r}")
    others = [x for x in (*names(), *reading_names()) if x != name and _number(x) == one.number]
    if others:
        yield Fault(path, key_line(path, "number"), f"has the same number as {others[0]}")
    if not one.path.is_file():
        yield Fault(path, key_line(path, "recording"), f"{one.recording} is listed but missing")
    elif one.path.stat().st_size > LARGEST:
        yield Fault(one.path, 1, f"over {LARGEST >> 10} KiB")
    for file in sorted(p for p in home(name).rglob("*") if p.is_file() and p.name not in (READING, one.recording)):
        yield Fault(file, 1, f"{READING} does not name this file")


def _number(name: str) -> int | None:
    """Return the number of an exercise, or None if its manifest is invalid, which is a fault of its own."""
    try:
        return any_exercise(name).number
    except AdvisorError:
        return None


def _fault(error: AdvisorError, path: Path) -> Fault:
    place, _, text = str(error).partition(": ")
    file, _, line = place.rpartition(":")
    return Fault(Path(file), int(line), text) if line.isdigit() else Fault(path, 1, str(error))


def _manifest(one: Exercise, path: Path, catalog: Catalog) -> Iterator[Fault]:
    def fault(text: str, *keys: str) -> Fault:
        return Fault(path, key_line(path, *keys), text)

    known = frozenset(catalog.findings) | catalog_ids()
    if one.diagnosis not in known:
        yield fault(f"there is no diagnosis {one.diagnosis!r}", "diagnosis")
    if len(one.hints) < LEAST_HINTS:
        yield fault(f"needs at least {LEAST_HINTS} hints", "hints")
    if len(one.stages) < 2:
        yield fault("needs at least two steps", "steps")
    if not one.napkin:
        yield fault("no napkin number", "napkin")
    if not one.quiz:
        yield fault("no quiz", "quiz")
    if not one.licence:
        yield fault("no licence", "licence")
    for output, tolerance in case(one.name).TOLERANCES.items():
        if not tolerance.why.strip():
            yield Fault(home(one.name) / "case.py", 1, f"the tolerance of {output} has no reason")
    for i, question in enumerate(one.quiz):
        if sum(a.right for a in question.answers) != 1:
            yield fault("exactly one answer must be right", "quiz", str(i))
    for name in one.prerequisites:
        if name not in names():
            yield fault(f"there is no exercise {name!r}", "prerequisites")
        elif exercise(name).number >= one.number:
            yield fault(f"its prerequisite {name} comes later in the order", "number")
    others = [name for name in names() if name != one.name and exercise(name).number == one.number]
    if others:
        yield fault(f"has the same number as {others[0]}", "number")
    for key in one.cites:
        if catalog.cite(key) is None:
            yield fault(f"no source {key!r}", "cites")
    if one.overlap is not None:
        for step_id in (one.overlap.full, one.overlap.memory, one.overlap.math):
            if step_id not in {s.id for s in one.steps}:
                yield fault(f"there is no step {step_id!r}", "overlap")
    for i, step in enumerate(one.steps):
        yield from (fault(text, "steps", str(i), key) for key, text in _step(one, step, known, catalog))


def catalog_ids() -> frozenset[str]:
    """Return the fixed ids of diagnoses (knowledge/catalogue.yaml)."""
    raw = load(resources.folder("knowledge") / "catalogue.yaml", dict[str, Any])
    return frozenset(raw["diagnoses"])


def _step(one: Exercise, step: StepDef, known: frozenset[str], catalog: Catalog) -> Iterator[tuple[str, str]]:
    ids = [s.id for s in one.steps]
    if step.id == MINE:
        yield "id", f"{MINE!r} is reserved for the learner's version"
    for key, wanted in (("expect", (step.expect,)), ("also", step.also), ("forbid", step.forbid)):
        for name in wanted:
            if name not in known:
                yield key, f"there is no diagnosis {name!r}"
    if step.expect in step.forbid:
        yield "forbid", f"{step.expect} is both expected and forbidden"
    if step.class_ and step.class_ not in catalog.classes:
        yield "class", f"there is no class {step.class_!r}"
    shown = {s.id: s.expect for s in one.steps[: ids.index(step.id)]}
    for fixed in step.mends:
        if fixed.step not in shown:
            yield "mends", f"there is no earlier step {fixed.step!r}"
        elif fixed.finding != shown[fixed.step]:
            yield "mends", f"{fixed.step} shows {shown[fixed.step]}, not {fixed.finding}"
    if step.gain is not None and step.gain.over not in ids:
        yield "gain", f"there is no step {step.gain.over!r}"
    for name in step.reach:
        if name not in ("copy", *ids):
            yield "reach", f"{name!r} is neither copy nor a step"
    if step.look_at >= step.launches:
        yield "look_at", "the launch under look_at is not profiled"


def _files(one: Exercise) -> Iterator[Fault]:
    folder = home(one.name)
    wanted = {MANIFEST, "case.py", *(s.source for s in one.steps), *(x for s in one.steps for x in s.extra)}
    for name in sorted(wanted):
        if not (folder / name).is_file():
            yield Fault(folder / MANIFEST, key_line(folder / MANIFEST, "steps"), f"{name} is listed but missing")
    kept = {f"recorded/{card}/{name}" for card in CARDS for name in (REPORT, RECORD)}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        inside = path.relative_to(folder).as_posix()
        if inside not in wanted and inside not in kept:
            yield Fault(path, 1, f"no step of {MANIFEST} names this file")
    for step in one.steps:
        source = folder / step.source
        if source.suffix == ".cu" and source.is_file():
            try:
                launches, _ = read_lines(source.read_text(encoding="utf-8"), source.name)
            except AdvisorError as e:
                yield Fault(source, 1, str(e))
                continue
            if step.launches > len(launches):
                yield Fault(source, 1, f"{len(launches)} launch lines, {step.launches} in {MANIFEST}")
        elif source.suffix not in (".cu", ".py"):
            yield Fault(source, 1, "a source is a .cu or a .py")
    try:
        record = recording(one)
    except KnowledgeError as e:
        yield _fault(e, folder / MANIFEST)
        return
    if record is None:
        yield Fault(folder / MANIFEST, 1, f"no recording: recorded/{CARDS[0]}/{RECORD}")
        return
    path = recorded_in(one) / RECORD
    if set(record.record.steps) != {s.id for s in one.steps}:
        yield Fault(path, 1, "its steps differ from the manifest")
        return
    if dict(case(one.name).sizes(record.record.card)) != record.record.sizes:
        yield Fault(path, 1, "case.py gives other sizes for this GPU now: record it again")
    for step_id, times in record.record.steps.items():
        if len(times.times_ns) < LEAST_RUNS:
            yield Fault(path, 1, f"{step_id}: {len(times.times_ns)} timed runs, at least {LEAST_RUNS}")
    for step in one.steps:
        there = all((folder / name).is_file() for name in (step.source, *step.extra))
        if there and digest(one, step) != record.record.steps[step.id].code:
            yield Fault(path, 1, f"{step.source} has changed since: record it again")
