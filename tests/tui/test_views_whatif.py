"""The what-if screen: values stepped or typed, and what turns, live and without a card."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.session import events as e
from advisor.tui.screens.session import SessionScreen
from advisor.tui.screens.whatif import Metric, WhatIfScreen, changed, outcome
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.prompt import Prompt
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import CONFLICTS, DONE, INDEX, NARROW, Analysis, analyse, launch

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
KNOWN = replace(
    INDEX,
    metrics=(
        *INDEX.metrics,
        ("memory_pct", "%", "memory throughput"),
        ("compute_pct", "%", "compute throughput"),
        ("shared_wavefront_ratio", "ratio", "wavefronts over the ideal"),
        ("idc_requests", "count", "requests of the constant cache"),
    ),
)


@asynccontextmanager
async def whatif(size: tuple[int, int] = (80, 24), **more: Any) -> AsyncIterator[Driver]:
    """The what-if screen of the transpose with bank conflicts."""
    async with session("tour.ncu-rep", size=size, knowledge=lambda: KNOWN, **more) as at:
        await at.open()
        await at.press("f9")
        assert isinstance(at.app.screen, WhatIfScreen)
        yield at


def tried(at: Driver) -> dict[str, float]:
    return dict(at.app.state.supposing)


def notes(at: Driver) -> str:
    return " ".join(at.notes)


async def typed(at: Driver, text: str) -> None:
    at.app.screen.query_one(Prompt).focus()
    await at.say(text)


@SIZES
async def test_the_table_has_the_numbers_behind_the_conclusions_and_where_they_turn(size: tuple[int, int]):
    async with whatif(size) as at:
        assert at.shows("Memory utilisation", "96.1 %", "↓ 60.0 %", "Compute utilisation", "12.4 %", "↑ 60.0 %")
        assert at.shows("Shared wavefronts over", "unknown"), "what a rule lacks can be tried too"
        assert not at.shows("duration_ns"), "what no conclusion rests on is left out"
        assert at.shows("No value is changed yet", "= class", "L1/shared-memory-bound", "= stays  Narrow accesses")


@SIZES
async def test_steps_and_jumps_and_the_measured_value_again(size: tuple[int, int]):
    async with whatif(size) as at:
        await at.press("right")
        assert tried(at) == {"memory_pct": pytest.approx(97.061)}
        await at.press("left", "left")
        assert tried(at) == {"memory_pct": pytest.approx(95.139)}
        await at.press("shift+left")
        assert tried(at)["memory_pct"] == pytest.approx(85.529)
        await at.press("less_than_sign")
        assert tried(at)["memory_pct"] == pytest.approx(59.94), "just beyond the threshold"
        await at.press("less_than_sign")
        assert "No conclusion flips in that direction" in notes(at)
        await at.press("backspace")
        assert tried(at) == {}
        cards = at.app.state.cards
        await at.press("escape")
        assert isinstance(at.app.screen, SessionScreen) and at.app.state.cards == cards, "no card was asked for"


@SIZES
async def test_a_typed_value_turns_the_class_and_the_words_say_so(size: tuple[int, int]):
    async with whatif(size) as at:
        await typed(at, "dram_pct = 70 %")
        assert tried(at) == {"dram_pct": 70.0}
        assert at.shows("DRAM Throughput = 70.0 %", "! class  L1/shared-memory-bound → DRAM-bound")
        assert at.shows("▸ DRAM Throughput"), "a metric that is tried has a row, and the cursor stands on it"
        await at.press("4", "0", "enter")
        assert tried(at) == {"dram_pct": 40.0} and at.shows("= class  L1/shared-memory-bound", "are unchanged")
        await at.press("f4")
        assert tried(at) == {"dram_pct": 70.0}
        await at.press("x")
        assert tried(at) == {}


async def test_what_is_no_metric_or_no_number_is_told():
    async with whatif() as at:
        for text, said in (("speed = 3", "speed is not a metric"), ("12 apples", "apples"), ("dram_pct=nan", "nan")):
            await typed(at, text)
            assert said in notes(at), text
        assert tried(at) == {}
        await at.press(*["down"] * 5, "right")
        assert "No value is known: type one first" in notes(at)


async def test_a_keeps_a_card_and_only_a():
    async with whatif() as at:
        await at.press("a")
        assert isinstance(at.app.screen, WhatIfScreen), "nothing is tried yet"
        await typed(at, "dram_pct=70")
        await at.press("a")
        assert isinstance(at.app.screen, SessionScreen)
        card = at.app.state.cards[-1]
        assert (card.kind, card.label, card.title) == ("change", "What if", "DRAM Throughput = 70.0 %")


async def test_the_card_has_all_digits_of_what_was_tried():
    async with whatif() as at:
        for text, title in (
            ("memory_pct=59.94", "Memory utilisation = 59.94 %"),
            ("memory_pct=60.06", "Memory utilisation = 60.06 %"),
        ):
            await typed(at, text)
            await at.press("a")
            assert at.app.state.cards[-1].title == title
            await at.press("f9")


async def test_while_it_concludes_the_outcome_before_stands_and_is_marked():
    go_on, has_begun = threading.Event(), threading.Event()
    slow = [False]

    class Slow(Analysis):
        def what_if(self, position: int, values: Any) -> Any:
            if slow[0]:
                has_begun.set()
                go_on.wait(120)
            return super().what_if(position, values)

    def read(paths: Any, gpu: Any, progress: Any) -> Any:
        return Slow(analyse(paths, gpu, progress).diagnosis)

    async with whatif(analyse=read) as at:
        await typed(at, "dram_pct=70")
        slow[0] = True
        await at.pilot.press("shift+right")  # no value that is diagnosed ahead
        await asyncio.to_thread(has_begun.wait, 120)
        await at.pilot.pause()
        assert at.shows("diagnosing again", "DRAM-bound")
        go_on.set()
        await at.settle()
        assert not at.shows("diagnosing again")


async def test_in_the_pause_after_a_key_the_values_of_the_next_one_are_tried():
    asked: list[dict[str, float]] = []

    class Counting(Analysis):
        def what_if(self, position: int, values: Any) -> Any:
            asked.append(dict(values))
            return super().what_if(position, values)

    async with whatif(analyse=lambda *given: Counting(analyse(*given).diagnosis)) as at:
        screen = at.app.screen
        assert isinstance(screen, WhatIfScreen)
        screen.prepare(at.app.state)  # what the timer does after the pause
        await at.until(lambda: len(asked) >= 3)
        before, ready = len(at.app.state.log), list(asked)
        await at.press("right")
        assert tried(at) in ready and asked.count(tried(at)) == 1, "diagnosed ahead, and not again when it is shown"
        assert at.shows("Memory utilisation = 97") and not at.shows("diagnosing again")
        assert [type(one) for one in at.app.state.log[before:]] == [e.Supposed, e.Completed], (
            "what is ahead is no event"
        )
        await at.press("escape")
        results, count = at.app.state.results, len(asked)
        screen.prepare(at.app.state)
        await at.settle()
        assert (at.app.state.results, len(asked)) == (results, count), "nothing is done ahead once the view is left"


def test_findings_that_come_go_stay_and_gains_that_move_are_told_apart():
    less = replace(CONFLICTS, speedup=replace(CONFLICTS.speedup, estimate=1.4))  # type: ignore[type-var]
    before, after = launch(0, "k"), launch(0, "k", findings=(less, DONE))
    kinds = [(row.kind, row.text) for row in outcome(before, after)]
    assert kinds == [
        ("gain", "Shared-memory bank conflicts  2.2× → 1.4×"),
        ("comes", "Near the memory roofline"),
        ("goes", "Narrow accesses  1.08×"),
        ("goes", "No line information"),
    ]
    assert not changed(outcome(before, before))
    first = outcome(before, launch(0, "k", findings=(NARROW,)))
    assert ("first", "Shared-memory bank conflicts → Narrow accesses") in [(row.kind, row.text) for row in first]


PERCENT = st.floats(0, 100, allow_nan=False)


@given(PERCENT, PERCENT, st.lists(PERCENT, max_size=5), st.booleans())
def test_a_jump_lands_beyond_the_next_turning_point_and_before_the_one_after_it(
    measured: float, value: float, turns: list[float], up: bool
):
    metric = Metric("x", "%", "", measured, tuple(sorted(set(turns))))
    beyond = metric.beyond(value, up)
    nearest = metric.nearest(value, up)
    if beyond is None:
        # Nothing lies there: no turning point, or one at the very end of what is possible.
        assert nearest is None or nearest >= max(100.0, measured) * 0.999 or nearest <= 1e-4
        return
    assert nearest is not None and 0 <= beyond <= max(100.0, measured)
    assert beyond > nearest > value if up else beyond < nearest < value


@given(PERCENT, st.floats(-0.1, 0.1))
def test_steps_stay_within_what_a_percentage_can_be(value: float, share: float):
    assert 0 <= Metric("x", "%", "", value).stepped(value, share) <= 100


async def test_hostile_kernel_names_are_shown_and_not_obeyed():
    async with whatif() as at:
        await typed(at, "[red]x[/red]\x1b[31m=5")
        assert "\x1b" not in at.screen
        assert at.app.screen.query_one(Rows).count


def test_a_value_near_its_turning_point_is_told_apart_from_it():
    metric = Metric("dram_pct", "%", "", 32.7, (30.0, 60.0))
    below, above = metric.beyond(32.7, up=False), metric.beyond(20.0, up=True)
    assert (metric.text(below), metric.text(30.0, below)) == ("29.97 %", "30.00 %")
    assert metric.text(above) == "30.03 %" and metric.text(45.0) == "45.0 %" and metric.text(30.0, 45.0) == "30.0 %"
    ratio = Metric("waves", "count", "", 5.0, (4.0,))
    assert (ratio.text(3.99999), ratio.text(3.5)) == ("3.99999", "3.5")


def test_a_share_is_not_stepped_beyond_all():
    assert Metric("shared_wavefront_share", "ratio", "", 0.95).stepped(0.99, 0.1) == 1.0


@SIZES
async def test_what_a_metric_cannot_be_is_refused_with_its_range(size: tuple[int, int]):
    index = replace(KNOWN, metrics=(*KNOWN.metrics, ("shared_wavefront_share", "ratio", "share of the wavefronts")))
    async with session("tour.ncu-rep", size=size, knowledge=lambda: index) as at:
        await at.open()
        for line, metric in (("/whatif dram_pct = 120", "dram_pct"), ("/whatif shared_wavefront_share=1.5", "shared_")):
            await at.say(line)
            assert at.app.state.cards[-1].kind == "error" and metric in at.screen and "the range is 0 to 1" in at.screen
        await at.press("f9")
        for text, said in (
            ("dram_pct = 120", "dram_pct cannot be 120 %: the range is 0 to 100 %"),
            ("shared_wavefront_share = 1.5", "shared_wavefront_share cannot be 1.5: the range is 0 to 1"),
            ("idc_requests = -3", "idc_requests cannot be -3: the range is 0 or more"),
        ):
            await typed(at, text)
            assert said in notes(at) and tried(at) == {}, text
        await typed(at, "shared_wavefront_share = 1")
        assert tried(at) == {"shared_wavefront_share": 1.0}


async def test_tests_over_several_metrics_have_turning_points_too():
    class Products(Analysis):
        def turns(self, position: int) -> dict[str, tuple[float, ...]]:
            return {"l1_wavefronts_pct": (21.2,)}

    def read(paths: Any, gpu: Any, progress: Any) -> Any:
        return Products(analyse(paths, gpu, progress).diagnosis)

    index = replace(KNOWN, metrics=(*KNOWN.metrics, ("l1_wavefronts_pct", "%", "the L1 data stage")))
    async with session("tour.ncu-rep", size=(160, 50), knowledge=lambda: index, analyse=read) as at:
        await at.open()
        await at.press("f9")
        assert at.shows("L1 data-stage utilisation", "↓ 60.0 %")
        await typed(at, "l1_wavefronts_pct = 50")
        assert at.shows("↓ 21.2 %")
        await at.press("less_than_sign")
        assert tried(at) == {"l1_wavefronts_pct": pytest.approx(21.2 * 0.999)}
