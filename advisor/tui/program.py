"""Start the program in the terminal."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any, Final

from advisor.readers import kinds
from advisor.readers.kinds import Opening
from advisor.records import resources
from advisor.records.errors import EXIT_DONE, AdvisorError
from advisor.session.executor import Executor, sources
from advisor.session.transcripts.autosave import Saving, unfinished
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import Settings, StartOptions, cases, saved, theme_for
from advisor.view.charts.bars import can_draw

# Seconds after which a thread that reads or reasons makes way for the screen. Each turn of the event loop gives it the
# processor, and a key takes some 20 turns: with Python's 5 ms a key pressed during work would take 100 ms longer.
_SWITCH_S: Final = 0.0005


def run(
    opening: Opening,
    *,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    theme: str = "",
    predict: bool = False,
    recover: bool = True,
) -> int:
    """Run a session on these reports and traces, or on the user's choice if there are none; return the exit code.

    predict: ask for a prediction before each diagnosis; recover: offer to continue an interrupted session on the same
    files.
    """
    memory, saving = Settings(resources.user_config()), Saving(knowledge)
    files = (*opening.reports, *opening.traces)
    return _start(
        Executor(saving.sources(sources(knowledge))),
        opening.reports,
        theme=theme,
        memory=memory,
        saving=saving,
        gpu=gpu or "",
        predict=predict,
        traces=opening.traces,
        start_options=None if files else _start_options(memory),
        interrupted=next(iter(unfinished(files)), None) if files and recover else None,
    )


def replay(path: Path, *, theme: str = "") -> int:
    """Replay a saved session; return the exit code. Raises InputError if it is none."""
    from advisor.tui.screens.replay import load  # only here: the other screens need not wait for it

    saving = Saving()
    executor = Executor(saving.sources(sources()))
    return _start(executor, (), theme=theme, memory=Settings(resources.user_config()), saving=saving, player=load(path))


def _start_options(memory: Settings) -> StartOptions:
    try:
        bundled = cases(resources.folder("transcripts"))
    except AdvisorError:
        bundled = ()
    return StartOptions(
        resources.folder("kernels") / kinds.DEMO, memory.recent, saved(unfinished(), time.time()), bundled
    )


def _start(
    executor: Executor, reports: tuple[str, ...], *, theme: str, memory: Settings, saving: Saving, **options: Any
) -> int:
    chosen = theme_for(theme, memory.theme, os.environ)
    blocks = can_draw(sys.stderr.encoding)
    sys.setswitchinterval(_SWITCH_S)
    app = AdvisorApp(executor, reports, blocks=blocks, theme=chosen, memory=memory, saving=saving, **options)
    try:
        with app.leaving.during():
            code = app.run()
    finally:
        saving.close()
    return EXIT_DONE if code is None else code
