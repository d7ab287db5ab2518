"""The command `ncu-advisor replay`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, argument, command, flag, in_utf8, option
from advisor.cli.session import needs_terminal
from advisor.records import resources
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, EXIT_WRONG_USE, AdvisorError, InputError, UsageError
from advisor.records.files import write_whole
from advisor.session.actions.save import FORMS
from advisor.session.export.export import text_of as export_text
from advisor.session.language.files import form_of
from advisor.session.transcripts.authoring import record
from advisor.session.transcripts.autosave import folder, kept, remark, title
from advisor.session.transcripts.format import head, text_of
from advisor.session.transcripts.player import Player, StepDifference, check_text
from advisor.tui.program import replay as play
from advisor.view.text import cut, shown

_SUFFIX = ".jsonl"
_EXPORT_ALONE = "--export writes one session: name one file, without --check or --accept"


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of `replay`."""

    transcripts: tuple[Path, ...] = argument(nargs=-1, type=PATH)
    check: bool = flag("--check", help="Exit with 1 if any conclusion differs from the saved one.")
    accept: bool = flag("--accept", help="Show the conclusions that differ, and rewrite the files with them.")
    script: Path | None = option(
        "--record", type=PATH, metavar="SCRIPT.yaml", help="Record a session from a script of typed lines, to --out."
    )
    export: str | None = option(
        "--export", type=click.Choice(FORMS), callback=in_utf8, help="Export the whole session, to --out or stdout."
    )
    out: Path | None = option("--out", type=PATH, metavar="FILE", help="Where --record and --export write.")


@command(Options)
def replay(options: Options) -> int:
    """Replay a saved session step by step; without an argument, list the saved sessions.

    A TRANSCRIPT is a file saved with /save, or the id or name of a listed session; with --check and --accept also a
    folder. Nothing in it is executed, and no file that it names is opened.

    With --check, exit code 2 if a file cannot be used, else 1 if a conclusion differs.
    """
    paths = options.transcripts
    if options.script is not None:
        if paths or options.check or options.accept or options.export is not None:
            raise UsageError(
                "--record makes a session from a script: leave out sessions, --check, --accept and --export"
            )
        made = record(options.script, lambda what, done, total: terminal.note(what))
        terminal.clear()
        terminal.write(text_of(made), options.out)
        return EXIT_DONE
    if options.export is not None:
        if options.check or options.accept or len(paths) != 1:
            raise UsageError(_EXPORT_ALONE)
        return _export(_files(paths), options.export, options.out)
    if options.out is not None:
        raise UsageError("--out belongs to --record SCRIPT.yaml and to --export")
    if options.check and options.accept:
        raise UsageError("--check only compares and --accept rewrites: give one of them")
    if options.check or options.accept:
        return _check(_files(paths), options.accept)
    if not paths:
        terminal.write(_listing())
        return EXIT_DONE
    if len(paths) > 1 or paths[0].is_dir():
        raise UsageError("only one session can be replayed at a time: name one file, or give --check")
    path = _files(paths)[0]
    needs_terminal("`ncu-advisor replay TRANSCRIPT --check`")
    return play(path)


def _files(paths: Sequence[Path]) -> list[Path]:
    """Return the files: the files of a folder sorted by name, and a listed session for its name."""
    if not paths:
        raise UsageError("name the sessions to check: files or folders")
    out: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(path.glob(f"*{_SUFFIX}"))
            if not found:
                raise InputError(f"no transcript (*.jsonl) in {path}")
            out += found
        else:
            known = None if path.exists() or path.name != str(path) else _known(path.name)
            out.append(known or path)
    return out


def _known(name: str) -> Path | None:
    """Return the bundled session of this name, or the automatically saved session of this id, or None."""
    places = [folder()]
    with contextlib.suppress(AdvisorError):
        places.insert(0, resources.folder("transcripts"))
    files = [place / (name if name.endswith(_SUFFIX) else name + _SUFFIX) for place in places]
    return next((path for path in files if path.is_file()), None)


def _check(files: Sequence[Path], accept: bool) -> int:
    code, width = EXIT_DONE, terminal.screen(most=240).width
    for path in files:
        try:
            player = Player.load(path)
            terminal.tell_problems(str(path), player.transcript.notes, "{count} more lines are skipped")
            found = _differences(player)
            terminal.clear()
            terminal.write(check_text(str(path), len(player), found, width))
            if accept and found:
                _accept(path, player, found)
                terminal.write(f"{shown(str(path))}: rewritten")
            elif found:
                code = max(code, EXIT_CHECK_FAILED)
        except InputError as problem:
            terminal.warn(shown(" ".join(str(problem).split())))
            code = EXIT_WRONG_USE
    return code


def _differences(player: Player) -> list[StepDifference]:
    out = []
    for step in player.steps:
        terminal.note(f"step {step.number}, {step.words}")
        found, done = player.differences(step.number), player.at(step.number).done
        if found or not done:
            out.append(StepDifference(step, found, done))
    return out


def _accept(path: Path, player: Player, found: Sequence[StepDifference]) -> None:
    """Rewrite the file. Raises InputError if that would lose lines, or keep a step that is no longer possible."""
    if player.transcript.notes:
        raise InputError(f"{path}: not rewritten: it has lines that this version does not know: update ncu-advisor")
    undone = next((one.step.number for one in found if not one.done), None)
    if undone is not None:
        raise InputError(f"{path}: not rewritten: step {undone} can no longer be applied: record the session again")
    write_whole(path, text_of(player.accepted()))


def _export(files: Sequence[Path], form: str, out: Path | None) -> int:
    """Write the last state of the session, computed from the reports that the file contains."""
    if len(files) != 1:
        raise UsageError(_EXPORT_ALONE)
    if out is not None and out.exists() and out.samefile(files[0]):
        raise UsageError(f"{out}: is the session itself: name another file")
    player = Player.load(files[0])
    for step in player.steps:
        terminal.note(f"step {step.number}, {step.words}")
        player.at(step.number)
    text = export_text(player.state(len(player)), form_of(form))
    terminal.clear()
    terminal.write(text, out)
    return EXIT_DONE


def _listing() -> str:
    """Return the list of automatically saved sessions and bundled sessions."""
    width = terminal.screen(most=240).width
    rows = []
    for one in kept():
        mark = ", open now" if one.running else "" if one.finished else ", interrupted"
        rows.append([one.id, title(one), remark(one, time.time()) + mark])
    if rows:
        wide = [max(len(row[at]) for row in rows) for at in (0, 1)]
        lines = ["Saved sessions, latest first (ncu-advisor replay ID):"]
        lines += [cut(f"  {row[0]:<{wide[0]}}  {row[1]:<{min(wide[1], 40)}}  {row[2]}", width) for row in rows]
    else:
        lines = ["No saved session yet: sessions are saved while you work, and with /save"]
    try:
        found = sorted(resources.folder("transcripts").glob(f"*{_SUFFIX}"))
    except AdvisorError:
        found = []
    if found:
        column = max(len(path.stem) for path in found)
        lines += ["Bundled sessions (ncu-advisor replay NAME):"]
        lines += [cut(f"  {path.stem:<{column}}  {shown(head(path).title)}", width) for path in found]
    return "\n".join(lines)
