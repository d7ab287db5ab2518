"""`practice selfcheck`: whether every exercise shows what it claims, on the recorded profiles or on this GPU."""

from __future__ import annotations

import json
from pathlib import Path

import click

from advisor.catalog import catalog
from advisor.commands.practice.face import Face
from advisor.errors import EXIT_CHECK_FAILED, EXIT_DONE
from advisor.practice import selfcheck
from advisor.practice.folders import faults
from advisor.practice.manifest import exercise, names
from advisor.render import exercises


def run(wanted: tuple[str, ...], form: str, out: Path | None, readme: Path | None, face: Face) -> int:
    """Check the folders and the recorded profiles of all exercises, or of those named; 1 when a claim does not hold."""
    cat = catalog()
    chosen = [exercise(name) for name in (wanted or names())]
    wrong = [f for f in faults(cat) if not wanted or any(name in f.file.parts for name in wanted)]
    for fault in wrong:
        click.echo(f"{fault}", err=True)
    found = [m for m in (selfcheck.of_recording(e) for e in chosen) if m is not None]
    judged = selfcheck.judge(cat, found, selfcheck.analyse(cat, found, progress=face.narrate)) if found else ()
    face.clear()
    return report(judged, found, bool(wrong), form, out, readme, face)


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
    from advisor.files import write_whole

    if form == "json":
        text = json.dumps(exercises.selfcheck_json(judged), indent=1, ensure_ascii=False)
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
