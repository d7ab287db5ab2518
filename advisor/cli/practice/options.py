"""The options of `practice`; each command's work is imported when it runs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

_PATH = click.Path(path_type=Path)
_NAME = click.argument("name")
_TEXT_JSON = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
_CLOCKS = click.option(
    "--clock-control",
    type=click.Choice(["base", "none"]),
    default="base",
    show_default=True,
    help="ncu's own: base holds the clock for the profile, none leaves it.",
)


def _face() -> Any:
    from advisor.cli.practice.text import Face
    from advisor.cli.terminal import clear, colour, narrate, note, write
    from advisor.view.charts.bars import can_draw

    columns = shutil.get_terminal_size((80, 24)).columns if sys.stdout is not None and sys.stdout.isatty() else 80
    return Face(
        write=lambda text: write(text, None),
        note=note,
        narrate=narrate,
        clear=clear,
        width=max(60, min(columns, 110)),
        colour=colour(sys.stdout),
        asks=bool(sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()),
        blocks=can_draw(getattr(sys.stdout, "encoding", None)),
    )


def _store() -> Any:
    from advisor.practice.state import Store

    return Store()


# As a learner meets them.
_ORDER = (
    *("list", "show", "predict", "quiz", "start", "check", "profile", "sweep"),
    *("hint", "solution", "log", "reset", "calibrate", "selfcheck"),
)


class _InOrder(click.Group):
    """Lists its commands in the order in which they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.commands, key=_ORDER.index)


@click.group(cls=_InOrder)
def practice() -> None:
    """Practise on kernels that are slow for a known reason.

    Start with `ncu-advisor practice list`, then `show` one. Running them needs an NVIDIA GPU and CuPy; everything else
    works without.
    """


@practice.command("list")
@_TEXT_JSON
def list_(form: str) -> int:
    """List the exercises, with your progress."""
    from advisor.cli.practice import learn

    return learn.list_(_store(), form, _face())


@practice.command(short_help="Tell a story, its napkin numbers, or a recorded profile.")
@_NAME
@click.option("--napkin", is_flag=True, help="The numbers to work out before any profile, with the way to them.")
@click.option("--profile", is_flag=False, flag_value="", metavar="[STEP]", help="The recorded profile of a step.")
@click.option("--no-prediction", is_flag=True, help="Show the profile without committing to a prediction first.")
def show(name: str, napkin: bool, profile: str | None, no_prediction: bool) -> int:
    """Tell the story of an exercise, its napkin numbers, or what its recorded profiles say."""
    from advisor.cli.practice import learn

    return learn.show(_store(), name, napkin, profile, not no_prediction, _face())


@practice.command(short_help="Commit to class, cause and speedup before a profile.")
@_NAME
@click.option(
    "--step", "step", default="", metavar="STEP", help="The step, the first by default; `mine` is your own version."
)
@click.option("--class", "class_id", metavar="CLASS", help="The class, such as dram_bound.")
@click.option("--cause", metavar="DIAGNOSIS", help="What you would fix first.")
@click.option("--speedup", type=float, metavar="X", help="How many times faster the next version will be.")
def predict(name: str, step: str, class_id: str | None, cause: str | None, speedup: float | None) -> int:
    """Commit to class, cause and speedup before the profile is shown."""
    from advisor.cli.practice import learn

    return learn.predict(_store(), name, step, class_id, cause, speedup, _face())


@practice.command(short_help="Make a folder of your own with the source to edit.")
@_NAME
@click.option("--folder", type=_PATH, metavar="DIR", help="Where to work; by default in your data folder.")
def start(name: str, folder: Path | None) -> int:
    """Make a folder of your own with the source to edit."""
    from advisor.cli.practice import learn

    return learn.start(_store(), name, folder, _face())


@practice.command(short_help="Give the next hint.")
@_NAME
@click.option("--all", "all_", is_flag=True, help="All hints at once.")
def hint(name: str, all_: bool) -> int:
    """Give the next hint."""
    from advisor.cli.practice import learn

    return learn.hint(_store(), name, all_, _face())


@practice.command(short_help="Ask about what the counters mean.")
@_NAME
@click.option("--answer", "answers", multiple=True, metavar="LETTER", help="The answers in order, instead of asking.")
def quiz(name: str, answers: tuple[str, ...]) -> int:
    """Ask about what the counters mean, with the reasons behind each answer."""
    from advisor.cli.practice import learn

    return learn.quiz(_store(), name, answers, _face())


@practice.command(short_help="Explain, and show a later step's source.")
@_NAME
@click.option("--step", "step", default="", metavar="STEP", help="The step; the last by default.")
@click.option("--anyway", is_flag=True, help="Also without an attempt.")
def solution(name: str, step: str, anyway: bool) -> int:
    """Explain, and show a later step's source and what changed."""
    from advisor.cli.practice import learn

    return learn.solution(_store(), name, step, anyway, _face())


@practice.command(short_help="Put the original source back; yours is kept beside it.")
@_NAME
@click.option("--progress", is_flag=True, help="Also forget attempts, hints, quiz, predictions and log.")
def reset(name: str, progress: bool) -> int:
    """Put the original source back; yours is kept beside it."""
    from advisor.cli.practice import learn

    return learn.reset(_store(), name, progress, _face())


@practice.command(short_help="Show the experiment log, or add your words.")
@_NAME
@click.option("--observation", default="", metavar="TEXT", help="What you saw in the latest version.")
@click.option("--hypothesis", default="", metavar="TEXT", help="Why you think it is so.")
@click.option("--next", "next_", default="", metavar="TEXT", help="What you will try.")
@click.option("--format", "form", type=click.Choice(["text", "markdown"]), default="text", show_default=True)
def log(name: str, observation: str, hypothesis: str, next_: str, form: str) -> int:
    """Show the experiment log of an exercise, or add your words to its latest version."""
    from advisor.cli.practice import learn

    return learn.log(_store(), name, observation, hypothesis, next_, form, _face())


_SEED = click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="The same inputs again; fresh ones by default.")
_LIMIT = click.option(
    "--limit", type=click.IntRange(1, 3600), default=30, show_default=True, help="Seconds that one run may take."
)


@practice.command(short_help="Compile your version, compare, time it beside slow and fast.")
@_NAME
@_SEED
@_LIMIT
@click.option("--compile-only", "arch", metavar="SM", help="Only compile, for an architecture such as sm_80; no GPU.")
def check(name: str, seed: int | None, limit: float, arch: str | None) -> int:
    """Compile your version, compare it with the reference, time it beside slow and fast.

    Exit code 0 when it is right and as fast as the bundled answer up to a tenth and the noise, 1 when not.
    """
    from advisor.cli.practice import gpu

    return gpu.check(_store(), name, seed, limit, arch, _face())


@practice.command(short_help="Profile your version with ncu and compare before and after.")
@_NAME
@_SEED
@_LIMIT
@click.option("--no-prediction", is_flag=True, help="Show the profile without committing to a prediction first.")
@_CLOCKS
def profile(name: str, seed: int | None, limit: float, no_prediction: bool, clock_control: str) -> int:
    """Profile your version with ncu, beside the slow one, and compare before and after."""
    from advisor.cli.practice import gpu

    return gpu.profile(_store(), name, seed, limit, clock_control, not no_prediction, _face())


@practice.command(short_help="Vary block size, shared-memory carve-out, register cap.")
@_NAME
@click.option(
    "--vary",
    "axes",
    multiple=True,
    type=click.Choice(["block", "carveout", "registers"]),
    help="What to vary; all three by default.",
)
@click.option("--profile", "profiled", is_flag=True, help="Also profile every point, for its occupancy.")
@_SEED
@_LIMIT
@_CLOCKS
def sweep(name: str, axes: tuple[str, ...], profiled: bool, seed: int | None, limit: float, clock_control: str) -> int:
    """Vary block size, shared-memory carve-out and register cap of your version."""
    from advisor.cli.practice import gpu

    return gpu.sweep(_store(), name, axes, profiled, seed, limit, clock_control, _face())


@practice.command(short_help="Measure this card's ceilings, and keep them.")
def calibrate() -> int:
    """Measure this card's read, copy and multiply-add ceilings, and keep them."""
    from advisor.cli.practice import gpu

    return gpu.ceilings(_face())


@practice.command(short_help="Check that every exercise shows what it claims (for authors).")
@click.argument("names", nargs=-1)
@click.option("--run", "run_", is_flag=True, help="Run and profile every step on this GPU instead of reading records.")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--out", type=_PATH, metavar="FILE", help="Write there instead of to the screen.")
@click.option("--readme", type=_PATH, metavar="FILE", help="Also write the table as markdown.")
@click.option("--compile", "compiled", is_flag=True, help="Also compile every source for every architecture.")
@click.option("--keep", type=_PATH, metavar="DIR", help="With --run: keep ncu's reports there.")
@click.option("--record", is_flag=True, help="With --run: write reports and times into the exercises' folders.")
@_CLOCKS
def selfcheck(
    names: tuple[str, ...],
    run_: bool,
    compiled: bool,
    clock_control: str,
    keep: Path | None,
    record: bool,
    **options: Any,
) -> int:
    """Check that every exercise shows what it claims (for authors)."""
    from advisor.cli.practice import author
    from advisor.records.errors import UsageError

    if run_ and compiled:
        raise UsageError("--compile is for machines without a GPU: --run compiles every source anyway")
    if (keep is not None or record) and not run_:
        raise UsageError("--keep and --record belong to --run")
    if run_:
        return author.run_here(names, clock_control=clock_control, keep=keep, record=record, **options, face=_face())
    return author.run(names, compiled=compiled, **options, face=_face())
