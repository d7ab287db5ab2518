"""What the session loads before its first screen: a package that only the analysis needs delays it."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Needed only after the first screen: by the screens of a session, by what understands typed lines, for a file that is
# not cached, for a mistake in a name, to save a session.
LATER = ("advisor.tui.screens.session", "advisor.session.language.understand", "yaml", "rapidfuzz", "filelock")
ANALYSIS = ("numpy", "pandas", "pyarrow", "experta", "advisor.reasoning.analysis", "advisor.timeline.analyse")


def loaded(module: str) -> set[str]:
    """The modules that a new process has after it imported this one."""
    code = f"import sys, {module}; print(*sys.modules, sep='\\n')"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("package", ANALYSIS)
def test_the_screens_load_nothing_of_the_analysis(package: str, screens: set[str]):
    assert package not in screens


@pytest.mark.parametrize("package", LATER)
def test_the_first_screen_does_not_wait_for_what_it_does_not_need(package: str, first_screen: set[str]):
    assert package not in first_screen


def test_the_commands_load_nothing_of_the_screens():
    assert "textual" not in loaded("advisor.cli.main")


@pytest.fixture(scope="module")
def screens() -> set[str]:
    """What the screens of a session load; with a module of the session that must be there."""
    found = loaded("advisor.tui.program, advisor.tui.screens.session, advisor.tui.screens.launches")
    assert "advisor.session.reducer" in found
    return found


@pytest.fixture(scope="module")
def first_screen() -> set[str]:
    """What is loaded for the list of launches, on which a report opens, and for the start screen."""
    found = loaded("advisor.cli.session, advisor.tui.program, advisor.tui.screens.launches")
    assert "advisor.tui.screens.start" in found
    return found
