"""Start the program in the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from advisor.records import resources
from advisor.records.errors import EXIT_DONE, AdvisorError, UsageError
from advisor.session.executor import Executor, sources
from advisor.session.export.export import writers
from advisor.session.transcripts.autosave import Saving, unfinished
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import Settings, StartOptions, cases, saved, sort_out, theme_for
from advisor.tui.screens.replay import load
from advisor.view.charts.bars import can_draw

DEMO = Path("tour") / "recorded" / "h200" / "tour.ncu-rep.xz"


def run(
    paths: Sequence[Path] = (),
    *,
    demo: bool = False,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    theme: str = "",
    predict: bool = False,
    **options: Any,
) -> int:
    """Run a session on these reports and traces, on the bundled report (demo), or on the user's choice.

    predict: ask for a prediction before each diagnosis. `options` go to reasoning.diagnose.analyse (ptxas, kernel,
    launches, jobs). A single saved session is replayed. Returns the exit code. Raises UsageError without a terminal.
    """
    _needs_terminal()
    opening = sort_out([resources.folder("kernels") / DEMO] if demo else paths)
    if opening.transcripts:
        if len(paths) > 1:
            raise UsageError("a saved session is replayed alone: give no other file with it")
        return replay(paths[0], theme=theme)
    real = sources(knowledge, **options)
    memory, saving = Settings(resources.user_config()), Saving(knowledge)
    return _start(
        Executor(saving.sources(real, writers())),
        opening.reports,
        theme=theme,
        memory=memory,
        saving=saving,
        gpu=gpu or "",
        predict=predict,
        traces=opening.traces,
        start_options=None if opening.reports or opening.traces else _start_options(memory),
        interrupted=next(iter(unfinished((*opening.reports, *opening.traces))), None) if paths else None,
    )


def replay(path: Path, *, theme: str = "") -> int:
    """Replay a saved session; return the exit code. Raises InputError if it is none, UsageError without a terminal."""
    _needs_terminal()
    saving = Saving()
    executor = Executor(saving.sources(sources(), writers()))
    return _start(executor, (), theme=theme, memory=Settings(resources.user_config()), saving=saving, player=load(path))


def _needs_terminal() -> None:
    # Textual draws on stderr; stdout remains free for data.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("the session needs a terminal: use `ncu-advisor diagnose` in scripts and pipes")


def _start_options(memory: Settings) -> StartOptions:
    try:
        bundled = cases(resources.folder("transcripts"))
    except AdvisorError:
        bundled = ()
    return StartOptions(resources.folder("kernels") / DEMO, memory.recent, saved(unfinished(), time.time()), bundled)


def _start(
    executor: Executor, reports: tuple[str, ...], *, theme: str, memory: Settings, saving: Saving, **options: Any
) -> int:
    chosen = theme_for(theme, memory.theme, os.environ)
    blocks = can_draw(sys.stderr.encoding)
    app = AdvisorApp(executor, reports, blocks=blocks, theme=chosen, memory=memory, saving=saving, **options)
    try:
        with app.leaving.during():
            code = app.run()
    finally:
        saving.close()
    return EXIT_DONE if code is None else code
