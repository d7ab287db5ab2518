"""The views on a recorded report and the real knowledge base, with the keyboard alone."""

from __future__ import annotations

from pathlib import Path

from advisor.session.executor import Executor, sources
from advisor.tui.app import AdvisorApp
from tui.driver import Driver

REPORT = Path(__file__).parents[2] / "kernels" / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"


async def test_from_the_line_over_the_proof_to_the_value_at_which_it_turns():
    app = AdvisorApp(Executor(sources()), (str(REPORT),))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        await at.open()
        await at.press("f7")
        assert at.shows("excess_wavefronts", "LDS", "out[", "have a line in 1-tile.cu,")
        await at.press("d", "4")
        assert at.shows("Registers")
        await at.press("escape", "f8")
        assert at.shows("concluded by", "tested >", "Flips if")
        await at.press("slash", *"tail_effect", "enter")
        assert at.shows("not concluded:", "did not fire")
        await at.press("escape", "f9")
        before = app.state.launch
        assert before is not None and at.shows("Measured", "Memory utilisation")
        await at.press("down", "less_than_sign")
        position = app.state.position
        assert position is not None and app.state.supposing
        assert at.shows("! class"), "the class turns just beyond the threshold that the proof names"
        await at.press("a")
        assert app.state.cards[-1].label == "What if" and not app.state.view
        await at.press("f5")
        assert at.shows("Steps of the method", "Classify")
        await at.press("escape", "f10")
        assert at.shows("Experiment log")
        await at.press("escape")
        assert not app.state.view
