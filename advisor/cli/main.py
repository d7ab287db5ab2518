"""The entry point: the commands, each imported when it is called, and the handling of their errors."""

from __future__ import annotations

import contextlib
import gc
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from advisor import __version__
from advisor.cli import LazyGroup, warn
from advisor.records import ending, scratch
from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, AdvisorError
from advisor.records.escapes import printable

# Command -> its `module:attribute`, and its help line. A new command needs one module and one line here.
COMMANDS = {
    "open": ("advisor.cli.session:open_", "Open the interactive session on reports or traces."),
    "demo": ("advisor.cli.session:demo", "Open the interactive session on a bundled report."),
    "diagnose": ("advisor.cli.diagnose:diagnose", "Diagnose reports and print the result."),
    "profile": ("advisor.cli.profile:profile", "Run a program under ncu and diagnose the kernels that take its time."),
    "ask": ("advisor.cli.ask:ask", "Answer a plain question about a launch, such as why it is slow."),
    "triage": ("advisor.cli.triage:triage", "Rank the kernels of many reports by the time a fix saves."),
    "compare": ("advisor.cli.compare:compare", "Compare two reports, before and after a change."),
    "source": ("advisor.cli.source:source", "Show the hot source lines and instructions."),
    "timeline": ("advisor.cli.timeline:timeline", "Analyse an Nsight Systems trace and choose a kernel to profile."),
    "napkin": ("advisor.cli.napkin:napkin", "Estimate bound and minimum time before profiling."),
    "collect": ("advisor.cli.collect:collect", "Print the ncu command that collects the missing metrics."),
    "export": ("advisor.cli.export:export", "Write rules for Nsight Compute, so that ncu-ui shows the first finding."),
    "sweep": ("advisor.cli.sweep:sweep", "Build, profile and compare variants of your own kernel."),
    "emulate": ("advisor.cli.emulate:emulate", "Run a kernel on the CPU and count what Nsight Compute counts."),
    "fix": ("advisor.cli.fix:fix", "Patch a kernel's source; offers only patches that are proven on the CPU."),
    "explain": ("advisor.cli.explain:explain", "Explain a diagnosis, metric, stall reason, opcode or other term."),
    "replay": ("advisor.cli.replay:replay", "Replay or check saved sessions."),
    "knowledge": ("advisor.cli.knowledge:knowledge", "Check the knowledge base, or make a documentation site of it."),
    "serve": ("advisor.cli.serve:serve", "Serve the session to a browser, for reading one folder only."),
    "mcp": ("advisor.cli.mcp:mcp", "Serve diagnoses to coding agents (Model Context Protocol)."),
    "practice": ("advisor.cli.practice:practice", "Practise on kernels that are slow for a known reason."),
}


_LONGEST = 4000  # characters of a message; the longest that lists what is known has about 2,500
_OBJECTS = 200_000  # new objects until Python searches for cycles


class _Program(LazyGroup):
    """A group in which `ncu-advisor x.ncu-rep` means `ncu-advisor open x.ncu-rep`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next((a for a in args if not a.startswith("-")), None)
        opens = first not in self.lazy and _is_path(first) if first is not None else not args
        if opens and not ctx.resilient_parsing:
            args = ["open", *args]
        return super().parse_args(ctx, args)


def _is_path(word: str) -> bool:
    return "." in word or "/" in word or "\\" in word or Path(word).exists()


@click.group(
    cls=_Program, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="ncu-advisor")
def cli() -> None:
    """Explain why a CUDA kernel is slow and how to fix it.

    Start with `ncu-advisor demo`, or open your own report: `ncu-advisor REPORT.ncu-rep`. Without a report,
    `ncu-advisor` asks for the numbers that ncu shows; type them, or paste rows from ncu.
    """


def _one_line(text: str) -> str:
    """Return a message that can be printed, without the middle of one that quotes a name of thousands of characters."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}"


def _guarded(run: Callable[[], Any]) -> int:
    """Return the exit code of `run`; print an error that the user can correct as one line on stderr."""
    try:
        code = int(run() or EXIT_DONE)
        if sys.stdout is not None:
            sys.stdout.flush()  # report a full disk here, not at interpreter exit
        return code
    except AdvisorError as e:
        with contextlib.suppress(OSError):
            warn(_one_line(str(e)))
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
        # The reader of the output ended first (`| head`), which is not an error.
        sys.stdout = None
        return EXIT_DONE
    except OSError as e:
        where = e.filename or "the output"
        ending.say(f"ncu-advisor: {_one_line(f'{where}: {e.strerror or e}')}")
        return EXIT_WRONG_USE
    except MemoryError:
        ending.say("ncu-advisor: the memory of this machine does not suffice for this input")
        return EXIT_WRONG_USE


def _run(argv: list[str] | None) -> Any:
    if argv is None:  # else a program called this, and handles its own signals and warnings
        ending.install()
        # Almost no object here is part of a cycle: searching for cycles every 700 objects takes a tenth of a diagnosis.
        gc.set_threshold(_OBJECTS)
        if not sys.warnoptions:
            # Numbers of a damaged file may overflow; the code that uses them checks them.
            warnings.simplefilter("ignore", RuntimeWarning)
    scratch.sweep()
    return cli.main(args=argv, prog_name="ncu-advisor", standalone_mode=False)


def main(argv: list[str] | None = None) -> None:
    """Run the console script and exit."""
    for stream in (sys.stdout, sys.stderr):
        # Replace a character that the terminal cannot show, instead of failing.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = _guarded(lambda: _run(argv))
    except (ending.Stopped, KeyboardInterrupt):  # while an error was told
        code = 130
    if argv is None:
        code = ending.code(code)
        ending.over()
    ending.drop_dead_output()
    if argv is None:
        gc.freeze()  # else the interpreter searches everything for cycles once more before it ends
    sys.exit(code)
