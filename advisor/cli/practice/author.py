"""`practice selfcheck`: whether every exercise shows what it claims, on the recorded profiles or on this GPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.cli.practice.text import Face
from advisor.knowledge.base import catalog
from advisor.practice import selfcheck
from advisor.practice.folders import faults
from advisor.practice.manifest import Exercise, exercise, home, names
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, InputError
from advisor.records.escapes import json_text
from advisor.view import exercises

if TYPE_CHECKING:
    from advisor.practice.selfcheck import Everything
    from advisor.reasoning.diagnose import Analysis


def run(wanted: tuple[str, ...], form: str, out: Path | None, readme: Path | None, compiled: bool, face: Face) -> int:
    """Check the folders and the recorded profiles of all exercises, or of those named; 1 when a claim does not hold.

    compiled: also compile every source for every architecture.
    """
    cat = catalog()
    chosen = [exercise(name) for name in (wanted or names())]
    wrong = [f"{f}" for f in faults(cat) if not wanted or any(name in f.file.parts for name in wanted)]
    wrong += _compiled(chosen, face) if compiled else []
    for fault in wrong:
        click.echo(fault, err=True)
    found = [m for m in (selfcheck.of_recording(e) for e in chosen) if m is not None]
    judged = selfcheck.judge(cat, found, selfcheck.analyse(cat, found, progress=face.narrate)) if found else ()
    face.clear()
    return report(judged, found, bool(wrong), form, out, readme, face)


def _compiled(chosen: list[Exercise], face: Face) -> list[str]:
    """What does not compile, in lines; InputError where there is no compiler."""
    from advisor.practice import compiling

    if compiling.compiler() is None:
        raise InputError(compiling.MISSING.words)
    sources = [path for one in chosen for path in sorted(home(one.name).glob("*.cu"))]
    total, builds = len(sources) * len(compiling.ARCHITECTURES), 0

    def done(build: compiling.Build) -> None:
        nonlocal builds
        builds += 1
        face.note(f"compiling {builds}/{total}")

    made = compiling.compile_all(sources, compiling.ARCHITECTURES, done=done)
    face.clear()
    click.echo(f"{len(sources)} sources compiled for {', '.join(compiling.ARCHITECTURES)}", err=True)
    return [f"{b.source.parent.name}, {b.arch}: {b.failure.words}" for b in made if b.failure is not None]


def report(
    judged: tuple[selfcheck.Judged, ...],
    measured: list[selfcheck.Measured],
    broken: bool,
    form: str,
    out: Path | None,
    readme: Path | None,
    face: Face,
) -> int:
    """Print the table (or JSON), write kernels/README.md where asked; the exit code."""
    from advisor.records.files import write_whole

    if form == "json":
        text = json_text(exercises.selfcheck_json(judged), indent=1)
    elif form == "markdown":
        text = exercises.readme(judged, measured)
    else:
        text = exercises.selfcheck_text(judged, face.width, face.colour)
    if out is not None:
        write_whole(out, text)
    else:
        face.write(text)
    if readme is not None:
        write_whole(readme, exercises.readme(judged, measured))
    return EXIT_DONE if all(j.ok for j in judged) and not broken else EXIT_CHECK_FAILED


def run_here(
    wanted: tuple[str, ...],
    form: str,
    out: Path | None,
    readme: Path | None,
    clock_control: str,
    record: bool,
    keep: Path | None,
    face: Face,
) -> int:
    """Check, time and profile the exercises on this GPU and judge them as the recorded ones; 1 when a claim fails.

    keep: the folder for the reports; record: also write them, cut and packed, into the exercises' own folders.
    """
    import random

    from advisor.cli.practice.gpu import shower
    from advisor.practice.selfcheck import run_all
    from advisor.records.scratch import ScratchFolder

    cat = catalog()
    chosen = [exercise(name) for name in (wanted or names())]
    with ScratchFolder() as place:
        folder = keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        control = None if clock_control == "base" else clock_control
        seed = random.SystemRandom().randrange(1 << 31)
        made = run_all(chosen, seed, folder, show=shower(face), clock_control=control)
        face.clear()
        if not made.measured:
            raise InputError(made.failure.words if made.failure is not None else "nothing could be run")
        if made.failure is not None:
            click.echo(f"ncu-advisor: {made.failure.words}", err=True)
        measured = list(made.measured)
        profiled = [m for m in measured if m.report.is_file()]
        analysis = selfcheck.analyse(cat, profiled, progress=face.narrate) if profiled else None
        face.clear()
        judged = selfcheck.judge(cat, measured, analysis)
        if record:
            _record(measured, made, analysis)
        return report(judged, measured, False, form, out, readme, face)


def _record(measured: list[selfcheck.Measured], made: Everything, analysis: Analysis | None) -> None:
    from datetime import UTC, datetime

    from advisor.practice import selfcheck

    if made.outcome.card is None or analysis is None:
        raise InputError("nothing was profiled, so nothing is recorded")
    driver, (sm, memory) = selfcheck.driver_version(), selfcheck.clocks(analysis.inputs.frame)
    cuda, cupy = selfcheck.versions_of(dict(made.outcome.versions))
    tool = analysis.diagnosis.reports[0].tool.removeprefix("ncu ")
    today = datetime.now(UTC).date().isoformat()
    said = selfcheck.Circumstances(made.outcome.card, driver, cuda, cupy, tool, sm, memory, today)
    card = made.outcome.card.name.removeprefix("NVIDIA ").split(" ")[0].lower()
    selfcheck.write_all(measured, said, card, lambda name: click.echo(f"recorded {name}", err=True))
