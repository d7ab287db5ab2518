"""`ncu-advisor replay`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.records import resources
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, EXIT_WRONG_USE, AdvisorError, InputError, UsageError
from advisor.session.transcripts import serialize

if TYPE_CHECKING:
    from advisor.session.replay_text import StepDifference
    from advisor.session.transcripts.autosave import Kept
    from advisor.session.transcripts.player import Player

_SUFFIX = ".jsonl"


def run(
    paths: tuple[Path, ...],
    *,
    check: bool,
    accept: bool,
    script: Path | None,
    export: str | None,
    out: Path | None,
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
    width: int,
) -> int:
    """Play in the terminal, or check, accept or record; returns the exit code.

    Of several files, 2 when one cannot be used, else 1 when one concludes something else.
    """
    if script is not None:
        if paths or check or accept or export is not None:
            raise UsageError(serialize.RECORD_ALONE)
        return _record(script, out, write, note, clear)
    if export is not None:
        if check or accept or len(paths) != 1:
            raise UsageError(serialize.EXPORT_ALONE)
        return _export(_files(paths), export, out, write, note, clear)
    if out is not None:
        raise UsageError(serialize.OUT_WITH_RECORD)
    if check and accept:
        raise UsageError(serialize.ONE_OF)
    if check or accept:
        return _check(_files(paths), accept, write, note, clear, width)
    if not paths:
        write(_listing(width), None)
        return EXIT_DONE
    if len(paths) > 1 or paths[0].is_dir():
        raise UsageError(serialize.ONE_AT_A_TIME)
    from advisor.tui.program import replay

    return replay(_files(paths)[0])


def _files(paths: Sequence[Path]) -> list[Path]:
    """The files: those of a folder by name, and a bundled session by its name alone."""
    if not paths:
        raise UsageError(serialize.WHICH_FILE)
    out: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(path.glob(f"*{_SUFFIX}"))
            if not found:
                raise InputError(serialize.NONE_FOUND.format(folder=path))
            out += found
        else:
            known = None if path.exists() or path.name != str(path) else _known(path.name)
            out.append(known or path)
    return out


def _known(name: str) -> Path | None:
    """The bundled session of this name, or the kept one of this id."""
    from advisor.session.transcripts.autosave import folder

    places = [folder()]
    with contextlib.suppress(AdvisorError):
        places.insert(0, resources.folder("transcripts"))
    files = [place / (name if name.endswith(_SUFFIX) else name + _SUFFIX) for place in places]
    return next((path for path in files if path.is_file()), None)


def _check(
    files: Sequence[Path],
    accept: bool,
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
    width: int,
) -> int:
    from advisor.cli.remarks import tell_problems
    from advisor.session.replay_text import check_text
    from advisor.session.transcripts.player import Player
    from advisor.view.text import shown

    code = EXIT_DONE
    for path in files:
        try:
            player = Player.load(path)
            tell_problems(str(path), player.transcript.notes, serialize.MORE_NOTES)
            found = _differing(player, note)
            clear()
            write(check_text(str(path), len(player), found, width), None)
            if accept and found:
                _accept(path, player, found)
                write(serialize.ACCEPTED.format(name=shown(str(path))), None)
            elif found:
                code = max(code, EXIT_CHECK_FAILED)
        except InputError as problem:
            clear()
            click.echo(f"ncu-advisor: {shown(' '.join(str(problem).split()))}", err=True)
            code = EXIT_WRONG_USE
    return code


def _differing(player: Player, note: Callable[[str], None]) -> list[StepDifference]:
    from advisor.session.replay_text import StepDifference

    out = []
    for step in player.steps:
        note(serialize.STEP.format(number=step.number, what=step.words))
        found, done = player.differences(step.number), player.at(step.number).done
        if found or not done:
            out.append(StepDifference(step, found, done))
    return out


def _accept(path: Path, player: Player, found: Sequence[StepDifference]) -> None:
    """Rewrite the file; InputError where that would lose lines, or keep a step that cannot be done."""
    from advisor.records.files import write_whole
    from advisor.session.transcripts.serialize import text_of

    if player.transcript.notes:
        raise InputError(serialize.WOULD_LOSE.format(name=path))
    undone = next((one.step.number for one in found if not one.done), None)
    if undone is not None:
        raise InputError(serialize.CANNOT_BE_DONE.format(name=path, number=undone))
    write_whole(path, text_of(player.accepted()))


def _export(
    files: Sequence[Path],
    form: str,
    out: Path | None,
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
) -> int:
    """The session as it stands at its end, on the reports that it carries."""
    from advisor.session.export.export import text_of
    from advisor.session.language.files import form_of
    from advisor.session.transcripts.player import Player

    if len(files) != 1:
        raise UsageError(serialize.EXPORT_ALONE)
    if out is not None and out.exists() and out.samefile(files[0]):
        raise UsageError(serialize.OVER_ITSELF.format(name=out))
    player = Player.load(files[0])
    for step in player.steps:
        note(serialize.STEP.format(number=step.number, what=step.words))
        player.at(step.number)
    text = text_of(player.state(len(player)), form_of(form))
    clear()
    write(text, out)
    return EXIT_DONE


def _record(
    script: Path,
    out: Path | None,
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
) -> int:
    from advisor.session.transcripts.authoring import record
    from advisor.session.transcripts.serialize import text_of

    made = record(script, lambda what, done, total: note(what))
    clear()
    write(text_of(made), out)
    return EXIT_DONE


def _listing(width: int) -> str:
    """The sessions that were kept, and those that come with the program."""
    from advisor.session.kept import remark, title
    from advisor.session.transcripts.autosave import kept
    from advisor.session.transcripts.serialize import head
    from advisor.view.text import cut, shown

    rows = [[one.id, title(one), remark(one, time.time()) + _mark(one)] for one in kept()]
    wide = [max(len(row[at]) for row in rows) for at in (0, 1)] if rows else []
    lines = [cut(f"  {row[0]:<{wide[0]}}  {row[1]:<{min(wide[1], 40)}}  {row[2]}", width) for row in rows]
    lines = [serialize.KEPT_TITLE, *lines] if lines else [serialize.NOTHING_KEPT]
    try:
        found = sorted(resources.folder("transcripts").glob(f"*{_SUFFIX}"))
    except AdvisorError:
        found = []
    if found:
        wide = [max(len(path.stem) for path in found)]
        lines += [serialize.BUNDLED_TITLE]
        lines += [cut(f"  {path.stem:<{wide[0]}}  {shown(head(path).title)}", width) for path in found]
    return "\n".join(lines)


def _mark(one: Kept) -> str:
    return f", {serialize.OPEN_NOW}" if one.running else "" if one.finished else f", {serialize.BROKEN_OFF}"
