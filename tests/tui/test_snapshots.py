"""What the screens look like, to the character and colour, on fixed data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from advisor.tui.app import AdvisorApp
from tui.driver import Driver
from tui.factory import METRICS, Analysis, desk, diagnosis, launch

MEASURED = {
    **METRICS,
    "flop": 4e9,
    "fp32_flop": 4e9,
    "dram_bytes": 5e8,
    "duration_ns": 333_000.0,
    "intensity": 8.0,
    "gflop_per_s": 12_000.0,
    "dram_peak_bytes_per_s": 4.8e12,
    "dram_bytes_per_s": 1.5e12,
    "inst_executed": 9.4e6,
    "global_load_inst": 524_288.0,
    "local_load_inst": 1000.0,
    "local_inst": 1000.0,
    "l2_load_bytes": 5.37e8,
    "l2_hit_pct": 11.7,
    "l2_read_xbar_pct": 38.3,
    "l2_tags_pct": 41.5,
    "l2_data_pct": 12.0,
}


def after(*lines: str) -> Callable[[Pilot[int]], Any]:
    """Types these lines (a key's name in angle brackets is pressed) and lets everything come to rest."""

    async def run(pilot: Pilot[int]) -> None:
        assert isinstance(pilot.app, AdvisorApp)
        at = Driver(pilot.app, pilot)
        await at.settle()
        for line in lines:
            await (at.press(line[1:-1]) if line.startswith("<") else at.say(line))
        await at.settle()

    return run


@pytest.mark.parametrize(
    ("size", "lines", "predict"),
    [
        ((80, 24), (), False),
        ((80, 24), ("/kernel 1", "dtype"), False),
        ((160, 50), ("/kernel 1", "/fix", "/how"), False),
        ((80, 24), ("/kernel 1",), True),
    ],
    ids=["list", "question", "wide", "prediction"],
)
def test_a_screen_looks_as_it_did(snap_compare: Any, size: tuple[int, int], lines: tuple[str, ...], predict: bool):
    app = AdvisorApp(desk(), ("tour.ncu-rep",), predict=predict)
    assert snap_compare(app, terminal_size=size, run_before=after(*lines))


@pytest.mark.parametrize(
    ("size", "key", "theme"),
    [
        ((160, 50), "alt+r", "dark"),
        ((160, 50), "alt+m", "light"),
        ((80, 24), "alt+m", "dark"),
        ((110, 30), "alt+u", "dark"),
    ],
    ids=["roofline", "memory-light", "memory-small", "units"],
)
def test_the_evidence_looks_as_it_did(snap_compare: Any, size: tuple[int, int], key: str, theme: str):
    one = launch(0, "transpose_tile", metrics=MEASURED)
    app = AdvisorApp(desk(analyse=lambda paths, gpu, progress: Analysis(diagnosis(one, one))), ("tour.ncu-rep",))
    switch = ("<ctrl+t>",) if theme == "light" else ()
    assert snap_compare(app, terminal_size=size, run_before=after("/kernel 0", *switch, f"<{key}>"))
