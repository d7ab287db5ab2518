"""The commands. Each imports what it needs only when it runs, so that help and explanations start at once."""

from __future__ import annotations

import contextlib
import gc
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from advisor import __version__, ending
from advisor.cli import terminal
from advisor.cli.practice.options import practice
from advisor.cli.replay_options import replay
from advisor.records import scratch
from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, AdvisorError, KnowledgeError
from advisor.records.escapes import json_text

_PATH = click.Path(path_type=Path)


def _like_a_file(word: str) -> bool:
    return "." in word or "/" in word or "\\" in word or Path(word).exists()


def _checked(ctx: click.Context, param: click.Parameter, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """A team's directories are linted before anything is concluded with them; the first mistake is the error."""
    if folders:
        from advisor.lint.lint import lint
        from advisor.records.resources import folder

        for mistake in lint([folder("knowledge"), *folders]):
            if mistake.severity == "error" and any(str(mistake.file).startswith(str(f)) for f in folders):
                raise KnowledgeError(f"{mistake.file}:{mistake.line}: {mistake.text}")
    return folders


_KNOWLEDGE = click.option(
    "--knowledge",
    "knowledge",
    type=_PATH,
    multiple=True,
    metavar="DIR",
    callback=_checked,
    help="Add a team's own rules; repeatable.",
)


class _Commands(click.Group):
    """A report in the place of a command opens it: `ncu-advisor x.ncu-rep` is `ncu-advisor open x.ncu-rep`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next((a for a in args if not a.startswith("-")), None)
        if not args or (first is not None and first not in self.commands and _like_a_file(first)):
            args = ["open", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="ncu-advisor")
def cli() -> None:
    """Find out why a CUDA kernel is slow and what to do about it.

    Start with `ncu-advisor demo`, or open a report of your own: `ncu-advisor REPORT.ncu-rep`.
    """


@cli.command("open")
@click.argument("reports", nargs=-1, type=_PATH)
@click.option("--gpu", metavar="NAME", help="The card, where a report does not tell.")
@terminal.theme
@_KNOWLEDGE
def open_(reports: tuple[Path, ...], gpu: str | None, theme: str | None, knowledge: tuple[Path, ...]) -> int:
    """Open the session on reports, traces of nsys or a saved session; without any it asks with what to begin."""
    from advisor.tui import run

    return run(list(reports), gpu=gpu, theme=theme or "", knowledge=knowledge)


@cli.command()
@terminal.theme
@_KNOWLEDGE
def demo(theme: str | None, knowledge: tuple[Path, ...]) -> int:
    """Open the session on a bundled report of 22 kernels, recorded on an H200."""
    from advisor.tui import run

    return run([], demo=True, theme=theme or "", knowledge=knowledge)


@cli.command()
@click.argument("reports", nargs=-1, required=True, type=_PATH)
@click.option("--kernel", metavar="REGEX", help="Only launches whose kernel name matches.")
@click.option("--launch", "launches", type=int, multiple=True, metavar="N", help="Only launch N, from 0; repeatable.")
@click.option("--top", type=click.IntRange(1), metavar="N", help="Only the N launches with the most time to win back.")
@click.option("--answers", type=_PATH, metavar="FILE.yaml", help="What an interview would have got: question: value.")
@click.option("--gpu", metavar="NAME", help="The card, where the report does not tell.")
@click.option("--ptxas", type=_PATH, metavar="FILE", help="A `ptxas -v` log that completes the report.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "html", "sarif"]),
    default="text",
    show_default=True,
)
@click.option("--out", type=_PATH, metavar="FILE", help="Write there instead of to the screen.")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes that share the work.")
@click.option("--how", "how_", multiple=True, metavar="ID", help="Show how a finding or class was concluded.")
@click.option(
    "--why-not", "why_not", multiple=True, metavar="ID", help="Show what kept a finding from being concluded."
)
@click.option("--what-if", "what_if", multiple=True, metavar="METRIC=VALUE", help="Conclude again with another value.")
@click.option("--on", metavar="GPU", help="Also reckon what another card would make of it, such as H100-SXM.")
@click.option("--rules", is_flag=True, help="Show what Nsight Compute's own rules say, each beside the verdict here.")
@click.option("--locate/--no-locate", default=None, help="Name the first finding's lines; by default of a lone launch.")
@click.option("--strict", is_flag=True, help="Exit with 2 if any report is incomplete or unreadable.")
@_KNOWLEDGE
def diagnose(reports: tuple[Path, ...], **options: Any) -> int:
    """Diagnose reports without a conversation: text, JSON, a page for people, or SARIF for editors and reviews."""
    from advisor.cli.diagnose import run

    return run(
        reports,
        **options,
        write=terminal.write,
        narrate=terminal.narrate,
        clear=terminal.clear,
        colour=terminal.colour(sys.stdout),
    )


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=_PATH)
@click.option("--kernel", metavar="REGEX", help="Only launches whose kernel name matches.")
@click.option("--top", type=click.IntRange(1), metavar="N", help="Only the N with the most to give back (text: 10).")
@click.option("--answers", type=_PATH, metavar="FILE.yaml", help="What an interview would have got: question: value.")
@click.option("--gpu", metavar="NAME", help="The card, where a report does not tell.")
@click.option("--timeline", "traces", type=_PATH, multiple=True, metavar="TRACE", help="What it gives the program.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "html", "sarif", "parquet"]),
    default="text",
    show_default=True,
)
@click.option("--out", type=_PATH, metavar="FILE", help="Write there instead of to the screen.")
@click.option("--jobs", type=click.IntRange(1, 256), default=2, show_default=True, help="Processes that read.")
@click.option("--dask", metavar="ADDRESS", help="Read on the Dask cluster whose scheduler is there.")
@click.option("--resume", type=_PATH, metavar="FILE", help="Keep the state of the run there, not in the user's cache.")
@click.option("--strict", is_flag=True, help="Exit with 2 if any report is incomplete or unreadable.")
@_KNOWLEDGE
def triage(paths: tuple[Path, ...], **options: Any) -> int:
    """Rank the kernels of whole reports and folders by the time that a fix would give back.

    Launches of one kernel, shape and card count together. A run that was interrupted goes on where it was when the same
    command is given again. Parquet holds a row for each launch.
    """
    from advisor.cli.triage import run

    return run(
        paths,
        **options,
        write_parts=terminal.write_parts,
        note=terminal.note,
        clear=terminal.clear,
        colour=terminal.colour(sys.stdout),
        width=terminal.full_width(),
    )


@cli.command()
@click.argument("base")
@click.argument("current")
@click.option("--map", "maps", multiple=True, metavar="OLD=NEW", help="A kernel that was renamed; repeatable.")
@click.option("--fail-on", multiple=True, metavar="CHANGE", help="Exit with 3 on this change; repeatable.")
@click.option("--beyond-noise", is_flag=True, help="A time within the noise crosses no --fail-on.")
@click.option("--all", "everything", is_flag=True, help="All metrics, not only those that moved most.")
@click.option("--force", is_flag=True, help="Compare different GPUs all the same.")
@click.option("--kernel", metavar="REGEX", help="Only launches whose kernel name matches.")
@click.option("--answers", type=_PATH, metavar="FILE.yaml", help="What an interview would have got: question: value.")
@click.option("--gpu", metavar="NAME", help="The card, where a report does not tell.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "html", "junit"]),
    default="text",
    show_default=True,
)
@click.option("--out", type=_PATH, metavar="FILE", help="Write there instead of to the screen.")
@_KNOWLEDGE
def compare(base: str, current: str, **options: Any) -> int:
    """Before and after: the time first, then what moved and which findings went, stayed or came.

    BASE and CURRENT are reports, or one launch of a report: `REPORT#3`. A CHANGE is `duration>5%` (slower by more),
    `dram_pct>+5` or `dram_pct<-5` (in the metric's unit), or `finding:bank_conflicts` (it came).
    """
    from advisor.cli.compare import run

    return run(
        base,
        current,
        **options,
        write=terminal.write,
        narrate=terminal.narrate,
        clear=terminal.clear,
        colour=terminal.colour(sys.stdout),
        width=terminal.width(),
    )


@cli.command()
@click.argument("report", type=_PATH)
@click.option("--by", metavar="MEASURE", help="What to seek; by default what belongs to the first finding.")
@click.option("--launch", type=click.IntRange(0), metavar="N", help="Launch N, from 0; by default the most to win.")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="Lines and instructions shown.")
@click.option("--with", "other", metavar="REPORT[#N]", help="Set a launch of a second report beside it.")
@click.option("--search", metavar="REGEX", help="Only where SASS, source line or FILE:LINE match.")
@click.option("--where", multiple=True, metavar="TEST", help="Only where it holds, such as 'share>5%'; repeatable.")
@click.option("--sources", type=_PATH, multiple=True, metavar="DIR", help="Where source files lie now; repeatable.")
@click.option("--columns", metavar="NAMES", help="What to show of instructions: a set or columns, between commas.")
@click.option("--ptx", is_flag=True, help="The hot lines of PTX too.")
@click.option(
    "--align",
    "align_by",
    type=click.Choice(["opcode", "instruction"]),
    default="opcode",
    show_default=True,
    help="What makes two instructions the same, with --with.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--out", type=_PATH, metavar="FILE", help="Write there instead of to the screen.")
@_KNOWLEDGE
def source(report: Path, **options: Any) -> int:
    """Find the lines and instructions behind a finding, and the loops they are in.

    A MEASURE is `excess_sectors`, `excess_wavefronts`, `load_wait` (long-scoreboard samples, at the load waited for),
    `samples`, `instructions`, `stall_barrier` … or the name of one of ncu's per-instruction metrics. A TEST compares
    share, value, executed, samples, lanes or line with a number. Sets of columns are memory, stalls, predication and
    instructions.
    """
    from advisor.cli.source import run

    return run(
        report,
        **options,
        write=terminal.write,
        note=terminal.note,
        clear=terminal.clear,
        colour=terminal.colour(sys.stdout),
        width=terminal.width(),
    )


@cli.command()
@click.argument("traces", nargs=-1, required=True, type=_PATH)
@click.option("--ncu-command", is_flag=True, help="Print only the ncu command for the kernel to look at.")
@click.option("--width", type=click.IntRange(60, 400), metavar="COLUMNS", help="How wide to draw.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "markdown", "html"]), default="text", show_default=True
)
@click.option("--out", type=_PATH, metavar="FILE", help="Write there instead of to the screen.")
@click.option("--strict", is_flag=True, help="Exit with 2 if any trace is incomplete or unreadable.")
@_KNOWLEDGE
def timeline(traces: tuple[Path, ...], width: int | None, **options: Any) -> int:
    """Look at the whole program first: is the GPU fed, which kernel counts, and what to profile.

    A TRACE is the database of `nsys export --type sqlite`, or the output of `nsys stats --format csv`; several are
    several ranks, and CSV files of one run are one trace. To get one:

    \b
      nsys profile --trace=cuda,nvtx,osrt -o baseline ./app
      nsys export --type sqlite -o baseline.sqlite baseline.nsys-rep
    """
    from advisor.cli.timeline import run

    return run(
        traces,
        **options,
        write=terminal.write,
        note=terminal.note,
        clear=terminal.clear,
        colour=terminal.colour(sys.stdout),
        width=width or terminal.full_width(),
    )


@cli.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("algorithm", required=False)
@click.option("--dtype", metavar="TYPE", help="f64, f32, f16, bf16, tf32, fp8 … (default f32).")
@click.option("--gpu", metavar="NAME", help="The card (default H100-SXM).")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def napkin(ctx: click.Context, algorithm: str | None, dtype: str | None, gpu: str | None, form: str) -> int:
    """Intensity, ridge point, expected bound and floor time before any profile.

    The sizes are options of their own: `ncu-advisor napkin gemm --m 4096 --n 4096 --k 4096 --dtype f32 --gpu H100-SXM`.
    Without an algorithm, lists them all.
    """
    from advisor.cli.napkin import run

    return run(algorithm, ctx.args, dtype, gpu, form, write=terminal.write)


@cli.command()
@click.argument("report", required=False, type=_PATH)
@click.option("--kernel", metavar="REGEX", help="The kernel to profile.")
@click.option("--skip", type=click.IntRange(0), default=1, show_default=True, help="Launches to skip as warm-up.")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="Launches to profile.")
@click.option("--clock-control", type=click.Choice(["base", "none"]), default="base", show_default=True)
@click.option("--section-file", type=_PATH, metavar="DIR", help="Write a section for ncu that collects what is read.")
@_KNOWLEDGE
def collect(report: Path | None, **options: Any) -> int:
    """Print the ncu command that collects what a report lacks, or all that the advisor reads."""
    from advisor.cli.collect import run

    return run(report, **options, write=terminal.write)


@cli.command()
@click.argument("words", nargs=-1)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_KNOWLEDGE
def explain(words: tuple[str, ...], form: str, knowledge: tuple[Path, ...]) -> int:
    """Explain a diagnosis, observation, rule, stall, opcode, metric, pitfall, step, GPU or question."""
    from advisor.explain.explain import explain as explain_word
    from advisor.view.explain import explain_json, explain_text

    found = explain_word(" ".join(words), *([knowledge[0]] if knowledge else []))
    if form == "json":
        terminal.write(json_text(explain_json(found), indent=1), None)
    else:
        terminal.write(explain_text(found, width=terminal.width(), colour=terminal.colour(sys.stdout)), None)
    return EXIT_DONE


cli.add_command(replay)


@cli.group()
def knowledge() -> None:
    """Look after the knowledge base."""


@knowledge.command("lint")
@click.argument("folder", required=False, type=_PATH)
def lint(folder: Path | None) -> int:
    """Check the knowledge base, or a team's own directory, each mistake with file and line."""
    from advisor.lint.lint import run

    return run([folder] if folder is not None else [], sys.stdout)


cli.add_command(practice)


def _guarded(run: Callable[[], Any]) -> int:
    """Run and turn what a user can mend into one line on stderr."""
    try:
        code = int(run() or EXIT_DONE)
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk shows here, not after the last line of the program
        return code
    except AdvisorError as e:
        with contextlib.suppress(OSError):
            terminal.clear()
        ending.say(f"ncu-advisor: {' '.join(str(e).split())}")
        return e.exit_code
    except click.ClickException as e:
        with contextlib.suppress(OSError):
            e.show()
        return EXIT_WRONG_USE
    except click.exceptions.Exit as e:
        return e.exit_code
    except (click.Abort, KeyboardInterrupt):
        ending.say("ncu-advisor: stopped")
        return 130
    except ending.Stopped as e:
        ending.say("ncu-advisor: stopped")
        return 128 + e.number
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): that is its right, and nothing to report.
        sys.stdout = None
        return EXIT_DONE
    except OSError as e:
        ending.say(f"ncu-advisor: {e.filename or 'the output'}: {e.strerror or e}")
        return EXIT_WRONG_USE


def main(argv: list[str] | None = None) -> None:
    """The console script."""
    # Next to nothing made here is cyclic: looking for cycles every 700 objects takes a tenth of a diagnosis.
    gc.set_threshold(200_000)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets another one, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if argv is None:  # else called by a program, whose signals and warnings are its own
        ending.install()
        if not sys.warnoptions:
            # Of numbers in a damaged file; what comes of them is judged where it is used.
            warnings.simplefilter("ignore", RuntimeWarning)
    scratch.sweep()
    code = _guarded(lambda: cli.main(args=argv, prog_name="ncu-advisor", standalone_mode=False))
    ending.drop_dead_output()
    # What was loaded goes with the process: looking through it for cycles once more takes as long as printing does.
    gc.freeze()
    sys.exit(code)
