"""What the session loads before its first screen: a package that only the analysis needs delays it."""

from __future__ import annotations

import subprocess
import sys

import pytest

ANALYSIS = ("numpy", "pandas", "pyarrow", "experta", "advisor.reasoning.analysis", "advisor.timeline.analyse")


def loaded(module: str) -> set[str]:
    """The modules that a new process has after it imported this one."""
    code = f"import sys, {module}; print(*sys.modules, sep='\\n')"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("package", ANALYSIS)
def test_the_screens_load_nothing_of_the_analysis(package: str, screens: set[str]):
    assert package not in screens


def test_the_commands_load_nothing_of_the_screens():
    assert "textual" not in loaded("advisor.cli.main")


@pytest.fixture(scope="module")
def screens() -> set[str]:
    """What the screens load; with a module of the session that must be there."""
    found = loaded("advisor.tui.program")
    assert "advisor.tui.screens.launches" in found
    return found
