"""The whole program on the bundled report and the real knowledge base."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from advisor.session.executor import Executor, sources
from advisor.tui.app import AdvisorApp
from tests.changed import replace
from tui.driver import Driver


def program(tour: Any, tour_path: Any) -> AdvisorApp:
    """On the analysis that the whole test run shares."""
    real = replace(sources(), analyse=lambda paths, gpu, progress: tour)
    return AdvisorApp(Executor(real), (str(tour_path),))


async def test_from_the_list_to_an_answer_that_compares_with_the_napkin(tour: Any, tour_path: Any):
    app = program(tour, tour_path)
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        assert at.shows("22 launches", "H200-SXM", "eight_blocks", "by time saved by the fix")
        await at.say("/kernel transpose_tile")
        assert at.shows("Fix first", "Speedup", "estimated, then limited by")
        await at.press("enter")
        await at.say("/how")
        assert at.shows("Because", "✓")
        for line in ("/why", "/evidence", "/missing", "/whynot tail_effect", "/whatif dram_pct=20", "/explain DRAM"):
            await at.say(line)
            assert at.app.state.cards[-1].kind != "error", line
        await at.say("algorithm")
        for line in ("transpose", "f32", "8192", "8192"):
            await at.say(line)
        assert at.app.state.answer("theoretical_bytes") == 2 * 8192 * 8192 * 4
        assert [c.kind for c in at.app.state.conversation][-2:] == ["napkin", "change"]


async def test_the_interview_reaches_a_class_from_the_first_numbers():
    app = AdvisorApp(Executor(sources()), ())
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        for line in ("kernel", "h200", "I don't know", "duration 328 us, sm 8%, memory 88%, dram 33%"):
            await at.say(line)
        assert app.state.launch is not None
        assert app.state.launch.known_as == "H200-SXM"
        assert app.state.launch.verdict.id == "mixed_memory_bound"


async def test_problems_of_files_are_told_above_the_list(tour: Any, tour_path: Any):
    info = replace(tour.diagnosis.reports[0], complete=False, problems=("3 of 25 launches are damaged [b]x[/b]",))

    class Damaged:
        diagnosis = replace(tour.diagnosis, reports=(info,))

    real = replace(sources(), analyse=lambda paths, gpu, progress: Damaged())
    app = AdvisorApp(Executor(real), (str(tour_path),))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        assert at.shows("INCOMPLETE", "! tour.ncu-rep.xz: 3 of 25 launches are damaged [b]x[/b]")


def test_without_a_terminal_the_session_says_what_to_use_instead():
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "demo"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "ncu-advisor diagnose" in done.stderr and "Traceback" not in done.stderr


def test_the_dialogue_knows_no_screen():
    code = "import sys, advisor.session.executor, advisor.session.reducer; "
    code += "from advisor.session.language import understand; understand.commands(); "
    code += "sys.exit(sorted({m.split('.')[0] for m in sys.modules} & {'textual', 'rich', 'pandas', 'experta'}) != [])"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
