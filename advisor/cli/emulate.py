"""The command `ncu-advisor emulate`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import is_terminal, terminal
from advisor.cli.emulated_launch import EmulatedLaunch, recorded
from advisor.cli.options import Output, argument, command, flag, formats, option
from advisor.hardware.gpus import gpu
from advisor.practice import manifest
from advisor.practice.emulated_check import check
from advisor.practice.emulated_source import (
    counted,
    kernel_problem,
    parse_arguments,
    source_text,
    step_problem,
    traced,
)
from advisor.practice.validation import recorded_names, totals, validate
from advisor.reasoning.emulated_counts import emulated_document
from advisor.reasoning.modelled import with_modelled
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, KnowledgeError, UsageError
from advisor.records.files import write_whole
from advisor.view.pages.emulated import check_page, emulated_page, trace_page
from advisor.view.pages.emulated_validation import validation_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json
from advisor.view.writers.terminal import page_width


@dataclass(frozen=True, kw_only=True)
class Options(Output, EmulatedLaunch):
    """Options of `emulate`."""

    names: tuple[str, ...] = argument(nargs=-1, metavar="SOURCE.cu")
    arguments: tuple[str, ...] = option(
        "--arg", multiple=True, metavar="ARG", help="An argument, in order: 'float[1000]', 'int[9]=zeros', 'int=5'."
    )
    launch: int = option("--launch", default=0, type=click.IntRange(0), metavar="N", help="Launch line N, from 0.")
    check: bool = flag("--check", help="With an exercise: compare a small problem with the reference.")
    validate: bool = flag("--validate", help="Compare emulated with recorded counts, of all exercises or those named.")
    trace: int | None = option(
        "--trace",
        type=click.IntRange(1),
        metavar="LINE",
        help="Draw the memory accesses of a source line instead: lanes to sectors, lanes to banks.",
    )
    save: Path | None = option(
        "--save",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE.json",
        help="Also write the counts to a file, which `diagnose` and `compare` read as they read a report.",
    )
    gpu: str | None = option(
        "--gpu", metavar="GPU", help="A GPU whose limits the rules may use, and for which caches and time are modelled."
    )
    jobs: int = option("--jobs", default=2, type=click.IntRange(1), metavar="N", help="Processes of --validate.")
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options)
def emulate(options: Options) -> int:
    """Run a kernel on the CPU and count what Nsight Compute counts, without a GPU.

    The source is compiled, some of its blocks are executed, and their counts are scaled to the grid. Counts are those
    of the source page: executions, threads, sectors, wavefronts. Time, stalls and caches are unknown; for a GPU named
    with --gpu, caches and time are modelled. An array argument
    holds random values unless it ends in =zeros or =range. A source in the folder of an exercise, or with --exercise,
    needs no shape: its launch lines are used.
    """
    if options.save is not None and (options.check or options.validate or options.trace is not None):
        raise UsageError("--save writes the counts of one launch: not with --check, --validate or --trace")
    if options.trace is not None and options.form == "json":
        raise UsageError("--trace has no JSON form: use text, markdown or html")
    if options.validate:
        return _validate(options)
    if len(options.names) != 1:
        raise UsageError(
            "emulate takes one source: `ncu-advisor emulate kernel.cu --grid 100 --block 256 --arg 'float[25600]'`"
        )
    source = Path(options.names[0])
    text = source_text(source)  # a wrong file is told before anything else
    if options.gpu is not None:
        gpu(options.gpu)  # an unknown name too
    name = options.exercise_of(source)
    if options.check:
        return _check(options, source, name)
    terminal.note("compiling and executing")
    if name is not None and options.grid is None:
        record = recorded(name).record
        problem = step_problem(source, manifest.case(name), record.card, record.sizes, options.arch, options.launch)
    else:
        grid, block = options.shape
        given = parse_arguments(options.arguments)
        problem = kernel_problem(source, text, options.arch, options.kernel, grid, block, given, options.shared)
    if options.trace is not None:
        accesses = traced(problem, source, options.trace, options.seconds)
        terminal.clear()
        terminal.write_page(trace_page(f"{source.name}:{options.trace}", accesses), options.form, options.out)
        return EXIT_DONE
    found = counted(problem, options.seconds)
    terminal.clear()
    document = emulated_document(found, options.gpu)
    if options.gpu is not None:
        terminal.note("modelling caches and time")
        document = with_modelled(document, problem, found, options.gpu, options.seconds)
        terminal.clear()
    if options.save is not None:
        write_whole(options.save, document_json(document))
    if options.form == "json":
        terminal.write(document_json(document), options.out)
    else:
        terminal.write_page(emulated_page(document), options.form, options.out)
    return EXIT_DONE


def _check(options: Options, source: Path, name: str | None) -> int:
    if name is None:
        raise UsageError("--check compares with the reference of an exercise: name it with --exercise")
    if options.form == "json":
        raise UsageError("--check has no JSON form: use text, markdown or html")
    record = manifest.recording(manifest.exercise(name))
    if record is None:
        raise KnowledgeError(f"{name} has no recorded GPU to scale the problem from")
    terminal.note("compiling and executing a small problem")
    found = check(manifest.case(name), source, record.record.card, seconds=options.seconds)
    terminal.clear()
    terminal.write_page(check_page(source.name, found), options.form, options.out)
    return EXIT_DONE if found.right else EXIT_CHECK_FAILED


def _validate(options: Options) -> int:
    if options.form == "json":
        raise UsageError("--validate has no JSON form: use text, markdown or html")
    known = recorded_names()
    for name in options.names:
        manifest.exercise(name)
        if name not in known:
            raise UsageError(f"{name} has no recording to compare with")
    rows = []
    for row in validate(options.names or known, options.seconds, options.jobs):
        rows.append(row)
        terminal.note(f"{row.name}: {row.refused or 'emulated'}")
    terminal.clear()
    page = validation_page(rows, totals(rows))
    width = None if options.out is None and is_terminal(sys.stdout) else page_width(page)
    terminal.write_page(page, options.form, options.out, width=width)
    return EXIT_DONE
