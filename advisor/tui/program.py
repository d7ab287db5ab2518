"""Starts the program in the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.records import resources
from advisor.records.errors import EXIT_DONE, AdvisorError, UsageError
from advisor.session.executor import Executor, sources
from advisor.session.export.export import writers
from advisor.session.transcripts.autosave import Saving, unfinished

if TYPE_CHECKING:
    from advisor.tui.settings import Remembered
    from advisor.tui.start_options import Beginnings

DEMO = Path("tour") / "recorded" / "h200" / "tour.ncu-rep.xz"
# Textual draws in frames, and what a key changes may take three of them: at 60 a second, its usual rate, that is 50 ms.
# It reads this when it is imported, which every start does after this module.
os.environ.setdefault("TEXTUAL_FPS", "240")


def run(
    paths: Sequence[Path] = (),
    *,
    demo: bool = False,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    theme: str = "",
    **options: Any,
) -> int:
    """The session on these reports and traces, on the bundled report (demo), or asking first; returns the exit code.

    A single saved session is replayed. `options` go to pipelines.analyse (ptxas, kernel, launches, jobs). UsageError
    without a terminal.
    """
    _needs_terminal()
    from advisor.tui.start_options import sort_out

    opening = sort_out([resources.folder("kernels") / DEMO] if demo else paths)
    if opening.transcripts:
        if len(paths) > 1:
            raise UsageError("a saved session is replayed alone: give nothing beside it")
        return replay(paths[0], theme=theme)
    real = sources(knowledge, **options)
    memory, saving = _memory(), Saving(knowledge)
    return _start(
        Executor(saving.sources(real, writers())),
        opening.reports,
        theme=theme,
        memory=memory,
        saving=saving,
        gpu=gpu or "",
        traces=opening.traces,
        beginnings=None if opening.reports or opening.traces else _beginnings(memory),
        broken_off=next(iter(unfinished((*opening.reports, *opening.traces))), None) if paths else None,
    )


def replay(path: Path, *, theme: str = "") -> int:
    """A saved session on the replay screen; InputError for what is none. UsageError without a terminal."""
    _needs_terminal()
    from advisor.tui.playing import load

    saving = Saving()
    desk = Executor(saving.sources(sources(), writers()))
    return _start(desk, (), theme=theme, memory=_memory(), saving=saving, player=load(path))


def _needs_terminal() -> None:
    # Textual draws on stderr, so that stdout stays free for data.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("the session needs a terminal: use `ncu-advisor diagnose` in scripts and pipes")


def _memory() -> Remembered:
    from advisor.tui.settings import Remembered

    return Remembered(resources.user_config())


def _beginnings(memory: Remembered) -> Beginnings:
    """With what to begin, where nothing was given."""
    from advisor.tui.autosaves import saved
    from advisor.tui.start_options import Beginnings, cases

    try:
        bundled = cases(resources.folder("transcripts"))
    except AdvisorError:
        bundled = ()
    broken_off = saved(unfinished(), time.time())
    return Beginnings(resources.folder("kernels") / DEMO, memory.recent, broken_off, bundled)


def _start(
    desk: Executor, reports: tuple[str, ...], *, theme: str, memory: Remembered, saving: Saving, **options: Any
) -> int:
    # The reading begins once the first screen is drawn: in a thread beside these imports it doubles the time to it, and
    # is done hardly sooner, as both want the interpreter.
    from advisor.tui.app import AdvisorApp
    from advisor.tui.prefetch import spare_keys
    from advisor.tui.start_options import theme_for
    from advisor.view.charts.bars import can_draw

    blocks = can_draw(sys.stderr.encoding)
    chosen = theme_for(theme, memory.theme, os.environ)
    app = AdvisorApp(desk, reports, blocks=blocks, theme=chosen, memory=memory, saving=saving, **options)
    spare_keys()
    try:
        code = app.run()
    finally:
        saving.close()
    return EXIT_DONE if code is None else code
