"""Starts the program in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor import resources
from advisor.dialogue.desk import Desk
from advisor.dialogue.headstart import HeadStart
from advisor.dialogue.sources import sources
from advisor.errors import EXIT_DONE, UsageError

DEMO = Path("tour") / "recorded" / "h200" / "tour.ncu-rep.xz"


def run(
    paths: Sequence[Path] = (),
    *,
    demo: bool = False,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    **options: Any,
) -> int:
    """The session on these reports, on the bundled one (demo), or without any; returns the exit code.

    `options` go to pipelines.analyse (ptxas, kernel, launches, jobs). UsageError without a terminal.
    """
    # Textual draws on stderr, so that stdout stays free for data.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("the session needs a terminal: use `ncu-advisor diagnose` in scripts and pipes")
    opened = [resources.folder("kernels") / DEMO] if demo else list(paths)
    real = sources(knowledge, **options)
    if opened:
        real = replace(real, analyse=HeadStart(real.analyse, opened, gpu))
    # Only now, while the reading is under way.
    from advisor.render.charts import can_draw
    from advisor.tui.app import AdvisorApp

    blocks = can_draw(sys.stderr.encoding)
    app = AdvisorApp(Desk(real), tuple(map(str, opened)), gpu=gpu or "", blocks=blocks)
    code = app.run()
    return EXIT_DONE if code is None else code
