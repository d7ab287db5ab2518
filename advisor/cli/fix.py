"""The command `ncu-advisor fix`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from msgspec.structs import replace as with_fields

from advisor.cli import terminal
from advisor.cli.emulated_launch import EmulatedLaunch, recorded
from advisor.cli.options import Finite, Output, argument, command, flag, formats, option
from advisor.emulator.launch import Pointer
from advisor.patches.prove import fix as fixed
from advisor.patches.records import FixDocument
from advisor.patches.stages import Stage, exercise_stage, own_stage
from advisor.patches.syntax import MOST_BYTES
from advisor.practice import manifest, workshop
from advisor.practice.emulated_source import Given, array_type, parse_arguments, source_text
from advisor.practice.state import Store
from advisor.practice.workshop import first_step
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, InputError, UsageError
from advisor.records.files import write_bytes_whole
from advisor.view.pages.patches import fix_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json


@dataclass(frozen=True, kw_only=True)
class Options(Output, EmulatedLaunch):
    """Options of `fix`."""

    source: Path | None = argument(required=False, metavar="[SOURCE.cu]", type=click.Path(path_type=Path))
    arguments: tuple[str, ...] = option(
        "--arg",
        multiple=True,
        metavar="ARG",
        help="An argument, in order: 'float[1000]', 'int[9]=zeros', 'int=5'; '@1' is the array of argument 1 again.",
    )
    kinds: tuple[str, ...] = option(
        "--kind", multiple=True, metavar="KIND", help="Only this kind of patch; repeatable."
    )
    tolerance: float = option(
        "--tolerance",
        default=1e-5,
        type=Finite(0, 1),
        help="Accepted difference of floats, of the largest value, where a patch may change the rounding.",
    )
    diff: bool = flag("--diff", help="Print the first patch alone, as a unified diff.")
    write: bool = flag("--write", help="Change the source: apply the first patch, and keep a copy.")
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options)
def fix(options: Options) -> int:
    """Patch the source of a kernel. A patch is offered only if it is proven on the CPU, without a GPU.

    Each patch is compiled, its results are compared with those of the source, and the counter that it promises to lower
    must fall. Exit code 0: a patch is offered; 1: none is. Nothing is written without --write. Launch and arguments are
    given as for `emulate`; a source in the folder of an exercise, or --exercise, needs none.
    """
    if options.diff and options.form != "text":
        raise UsageError("--diff prints a unified diff: leave out --format")
    path, name = _target(options)
    text = source_text(path, MOST_BYTES)
    stage = _exercise(path, name, options) if name is not None else _own(path, text, options)
    found = fixed(stage, text, options.kinds, terminal.note)
    terminal.clear()
    if options.write and found.patches:
        found = _write(path, text, found, options)
    if options.diff:
        if found.patches:
            terminal.write(found.patches[0].diff, options.out)
    elif options.form == "json":
        terminal.write(document_json(found), options.out)
    else:
        terminal.write_page(fix_page(found), options.form, options.out)
    if not found.patches:
        if options.diff:
            terminal.warn(f"no patch is proven; {len(found.rejected)} were rejected: leave out --diff for the reasons")
        return EXIT_CHECK_FAILED
    return EXIT_DONE


def _target(options: Options) -> tuple[Path, str | None]:
    """Return the source and the exercise that it belongs to, if any."""
    if options.source is None:
        if options.exercise is None:
            raise UsageError("name a source, or an exercise with --exercise")
        one = manifest.exercise(options.exercise)
        record = Store().record(one.name)
        if record.folder:
            return workshop.opened(one, Store()).source, one.name
        return manifest.home(one.name) / first_step(one).source, one.name
    return options.source, options.exercise_of(options.source)


def _exercise(path: Path, name: str, options: Options) -> Stage:
    if path.suffix != ".cu":
        raise UsageError(f"{path.name}: only the source of a kernel (.cu) can be patched")
    record = recorded(name).record
    card, sizes = record.card, record.sizes
    result = next((s.result for s in manifest.exercise(name).steps if Path(s.source).name == path.name), True)
    return exercise_stage(path, manifest.case(name), card, sizes, options.arch, result, options.seconds)


def _own(path: Path, text: str, options: Options) -> Stage:
    grid, block = options.shape
    given, types = _given(options.arguments)
    return own_stage(
        path,
        text,
        options.arch,
        options.kernel,
        grid,
        block,
        given,
        types,
        options.shared,
        options.tolerance,
        options.seconds,
    )


def _given(texts: tuple[str, ...]) -> tuple[Given, list[np.dtype[Any] | None]]:
    """Parse arguments; `@N` is the array of argument N again."""
    again: dict[int, int] = {}
    plain = list(texts)
    for at, text in enumerate(texts):
        if text.startswith("@"):
            number = int(text[1:]) - 1 if text[1:].isdecimal() else -1
            if not 0 <= number < at or number in again or array_type(texts[number]) is None:
                raise UsageError(f"--arg {text!r}: write @ and the number of an earlier array argument, such as @1")
            again[at], plain[at] = number, texts[number]
    found = parse_arguments(plain)
    arguments, arrays = list(found.arguments), dict(found.arrays)
    for at, number in again.items():
        extra = arguments[at]
        assert isinstance(extra, Pointer)
        del arrays[extra.name]
        arguments[at] = arguments[number]
    return replace(found, arguments=tuple(arguments), arrays=arrays), [array_type(text) for text in plain]


def _write(path: Path, text: str, found: FixDocument, options: Options) -> FixDocument:
    """Apply the first patch to the file, and keep the old text next to it."""
    if options.exercise is not None and options.source is None and path.parent == manifest.home(path.parent.name):
        raise UsageError("--write does not change the bundled exercises: `ncu-advisor practice start` makes your copy")
    if source_text(path, MOST_BYTES) != text:
        raise InputError(f"{path}: the file changed while patches were tried: nothing was written")
    number = 1
    while (backup := path.with_name(f"{path.name}.orig{number if number > 1 else ''}")).exists():
        number += 1
    write_bytes_whole(backup, text.encode("utf-8"))
    write_bytes_whole(path, found.patches[0].text.encode("utf-8"))
    return with_fields(found, written_to=str(path), backup=str(backup))
