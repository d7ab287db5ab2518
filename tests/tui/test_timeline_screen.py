"""The timeline: lanes that are zoomed and moved, patterns whose moments are marked, the command, several GPUs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.records.errors import InputError
from advisor.session import events as e
from advisor.timeline.analyse import analyse
from advisor.timeline.results import Moment
from advisor.tui.screens.timeline import Lanes, around, panned, zoomed
from tests.timeline.generator import Planted, busy, starved, synchronised
from tui.driver import Driver, session

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
WHOLE = (1_000, 1_001_000)


@pytest.fixture
def trace(tmp_path: Path) -> Callable[..., str]:
    """Writes a planted trace and gives its path."""

    def write(planted: Planted, name: str = "run.sqlite") -> str:
        return str(planted.write(tmp_path / name))

    return write


@asynccontextmanager
async def opened(*paths: str, size: tuple[int, int] = (80, 24), blocks: bool = True) -> AsyncIterator[Driver]:
    """The timeline screen on these traces."""
    read: Any = lambda files, progress: analyse(files)  # noqa: E731
    async with session(size=size, blocks=blocks, trace=read) as at:
        at.app.dispatch(e.TraceGiven(paths))
        await at.settle()
        at.app.dispatch(e.ViewShown("timeline"))
        await at.settle()
        yield at


def lanes(at: Driver) -> Lanes:
    return at.app.screen.query_one(Lanes)


@SIZES
async def test_lanes_patterns_with_their_gain_and_what_to_do_next(trace: Any, size: tuple[int, int]):
    async with opened(trace(starved()), size=size) as at:
        assert at.shows("kernels", "host copies", "idle", "a column is")
        assert at.shows("What to do next", "Data loading starves the GPU", "at most 2.1×", "Profile it with ncu")
        assert at.shows("Fix the system first")


async def test_a_pattern_tells_evidence_and_fix_and_enter_goes_from_moment_to_moment(trace: Any):
    async with opened(trace(synchronised()), size=(160, 50)) as at:
        whole = lanes(at).whole
        assert lanes(at).window == whole and "▲" not in at.screen
        await at.press("down")
        assert at.shows("Synchronisation between kernels", "gaps follow a host wait", "Fix", "▲")
        seen = []
        for _ in range(4):
            await at.press("enter")
            seen.append(lanes(at).window)
        assert len(set(seen)) == 3 and seen[3] == seen[0]
        window = seen[0]
        assert window is not None and whole is not None and window[1] - window[0] < (whole[1] - whole[0]) / 10
        await at.press("0")
        assert lanes(at).window == whole


@pytest.mark.heavy
async def test_zoom_and_pan_stay_inside_the_trace(trace: Any):
    async with opened(trace(busy())) as at:
        whole = lanes(at).whole
        assert whole is not None
        await at.press("plus", "plus")
        window = lanes(at).window
        assert window is not None and abs((window[1] - window[0]) * 4 - (whole[1] - whole[0])) <= 8
        await at.press(*["right"] * 40)
        window = lanes(at).window
        assert window is not None and window[1] == whole[1]
        await at.press(*["left"] * 60, *["minus"] * 5)
        assert lanes(at).window == whole


async def test_the_numbers_of_a_lane_are_those_of_what_is_in_view(trace: Any):
    async with opened(trace(synchronised())) as at:
        share = next(row for row in at.rows if row.startswith(" kernels")).split()[-2]
        await at.press("down", "enter")
        closer = next(row for row in at.rows if row.startswith(" kernels")).split()[-2]
        assert (float(share), float(closer)) == (66.8, 80.0)
        assert at.shows("125 µs of 15 ms")


async def test_kernels_stand_with_what_they_could_give_and_the_command_is_copied(trace: Any):
    async with opened(trace(starved()), size=(160, 50)) as at:
        await at.press("end", "up")
        assert at.shows("Amdahl", "1.7×")
        await at.press("end")
        assert at.shows("ncu --set full", "regex:^work$")
        await at.press("y")
        assert at.app.clipboard.startswith("ncu --set full")


async def test_several_gpus_one_after_another_and_together(trace: Any):
    paths = (trace(starved(), "a.sqlite"), trace(busy(), "b.sqlite"))
    async with opened(*paths, size=(160, 50)) as at:
        assert at.shows("1 of 2", "a.sqlite")
        await at.press("]")
        assert at.shows("2 of 2", "b.sqlite")
        await at.press("end")
        assert at.shows("[0] GPU 0", "[1] GPU 0", "each GPU over its own time window")
        await at.press("]")
        assert at.shows("1 of 2")


async def test_a_trace_of_sums_has_no_lanes_and_says_so(tmp_path: Path):
    sums = tmp_path / "run_cuda_gpu_kern_sum.csv"
    head = '"Time (%)","Total Time (ns)","Instances","Avg (ns)","Med (ns)","Min (ns)","Max (ns)","StdDev (ns)","Name"'
    sums.write_text(f'{head}\n100.0,3000000,3,1000000.0,1000000.0,1000000,1000000,0.0,"void work<float>(float*)"\n')
    async with opened(str(sums)) as at:
        assert at.shows("totals only, no timestamps", "Could not be checked")
        await at.press("plus", "left", "0", "enter")
        assert at.shows("how long the GPU is idle is unknown")


async def test_without_block_characters_and_at_any_size(trace: Any):
    async with opened(trace(synchronised()), blocks=False) as at:
        await at.press("down")
        assert any(row.startswith(" marked") and "^" in row for row in at.rows)
        assert not set("▁▂▃▄▅▆▇█▲│") & set("".join(at.rows[:10]))
        for size in ((30, 8), (200, 12), (80, 24)):
            await at.pilot.resize_terminal(*size)
            await at.settle()
        assert at.shows("Synchronisation between kernels")


async def test_names_of_kernels_are_data(trace: Any):
    planted = busy()
    planted.kernel(200_000_000, 90_000_000, "void [bold]x[/bold]\x1b[2J(int)", "[bold]x[/]\x1b[2J\u202e")
    async with opened(trace(planted), size=(160, 50)) as at:
        told = ""
        for _ in range(8):
            await at.press("down")
            told += at.screen
        assert "[bold]x[/]" in told and "\x1b" not in told and "\u202e" not in told


@SIZES
async def test_a_trace_that_cannot_be_read_is_a_card_and_opens_no_screen(size: tuple[int, int]):
    def broken(files: Any, progress: Any) -> Any:
        raise InputError("run.sqlite: not a database of nsys: export it again")

    async with session("tour.ncu-rep", size=size, trace=broken) as at:
        await at.open()
        at.app.dispatch(e.TraceGiven(("run.sqlite",)))
        await at.settle()
        assert at.shows("not a database of nsys", "That did not work")
        at.app.dispatch(e.ViewShown("timeline"))
        await at.settle()
        assert at.app.state.view == "" and at.shows("not a database of nsys"), "there are no lanes to show"
        await at.press("escape", "escape")  # first to the diagnosis, where the small terminal does not show it
        assert at.app.state.place == "launches"


async def test_a_click_on_the_lanes_looks_closer_there(trace: Any):
    async with opened(trace(synchronised())) as at:
        whole = lanes(at).whole
        await at.pilot.click(Lanes, offset=(60, 1))
        await at.settle()
        window = lanes(at).window
        assert whole is not None and window is not None
        assert (window[1] - window[0]) * 2 == pytest.approx(whole[1] - whole[0], rel=0.01)
        assert (window[0] + window[1]) / 2 > (whole[0] + whole[1]) / 2


@given(st.integers(0, 2_000_000), st.integers(0, 2_000_000), st.floats(0.1, 10), st.integers(-(10**7), 10**7))
def test_no_window_ever_leaves_the_trace(start: int, length: int, factor: float, by: int):
    for window in (
        zoomed((start, start + length), WHOLE, factor),
        panned((WHOLE[0], WHOLE[0] + max(1, min(length, 10**6))), WHOLE, by),
        around(Moment("gap", start, length), WHOLE),
    ):
        assert WHOLE[0] <= window[0] < window[1] <= WHOLE[1]
