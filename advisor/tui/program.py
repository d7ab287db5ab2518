"""Starts the program in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from advisor import resources
from advisor.dialogue.desk import Desk
from advisor.dialogue.sources import sources
from advisor.errors import EXIT_DONE, UsageError
from advisor.render.charts import can_draw
from advisor.tui.app import AdvisorApp

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
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the session needs a terminal: use `ncu-advisor diagnose` in scripts and pipes")
    opened = [resources.folder("kernels") / DEMO] if demo else list(paths)
    blocks = can_draw(sys.stdout.encoding)
    app = AdvisorApp(Desk(sources(knowledge, **options)), tuple(map(str, opened)), gpu=gpu or "", blocks=blocks)
    code = app.run()
    return EXIT_DONE if code is None else code
