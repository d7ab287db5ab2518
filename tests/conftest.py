"""What all tests share: a data folder of their own, and the bundled report and its analysis, read once."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from advisor.records import resources

# What these look at (screens, pages, words, knowledge, conclusions, exercises, scripts) is the same on every Python.
# The version shows in the readers and the commands, in the engine, and in a session from its start to its end.
_ALIKE = (
    *("tui", "lint", "explain", "bench", "view", "practice", "packaging", "hardware", "source", "timeline"),
    *("session", "metrics", "emulator", "nvrules", "patches", "site", "test_regular_expressions.py"),
    *("reasoning", "knowledge"),
)
_SHOWS = (
    *("test_session.py", "test_terminal.py", "test_real_report.py", "test_packaging.py", "test_practice_child.py"),
    *("test_session_flow.py", "test_reducer_laws.py", "test_desk.py"),
    *("test_hostile.py", "test_keeping.py", "test_metrics_derive.py", "test_metrics_tour.py"),
    *("test_diagnose.py", "test_engine_order.py", "test_engine_keys.py", "test_engine_explain.py"),
    *("test_engine_whatif.py", "test_engine_confidence.py", "test_parts.py", "test_model.py"),
)

# What these look at is concluded from reports; tests/read_once.py says who reads for itself.
_READ_ONCE = ("cli", "compare", "explain", "hardware", "practice", "reasoning", "session", "source", "view")


# No property is judged by the time it takes, which other work on the machine lengthens; fixtures are not changed.
settings.register_profile(
    "any machine",
    settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("any machine")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers a core for `-n auto`: tests of screens and of child processes wait for half their time or more."""
    own = getattr(os, "sched_getaffinity", None)
    return 2 * (len(own(0)) if own is not None else os.cpu_count() or 1)


def pytest_configure() -> None:
    """Use a cache folder for this run only, and draw screens more often: tests wait for frames."""
    os.environ.setdefault("TEXTUAL_FPS", "240")
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    if "PYTEST_XDIST_WORKER" not in os.environ:  # workers have the environment of the run
        os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="ncu-advisor-tests-")
        # Registered before anything is kept there, so run after that is written.
        atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)


@cache
def _long() -> frozenset[str]:
    """The functions of tests that take long, as path::function."""
    lines = (Path(__file__).parent / "long.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def _heavy(path: Path) -> bool:
    """Whether CI need not run the tests of a file on more than one Python."""
    here = Path(__file__).parent
    first = path.relative_to(here).parts[0] if path.is_relative_to(here) else ""
    return first in _ALIKE and path.name not in _SHOWS


def _named(path: Path) -> str:
    here = Path(__file__).parent
    return f"tests/{path.relative_to(here).as_posix()}" if path.is_relative_to(here) else str(path)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import files of which `-m long` or `-m 'not heavy and not long'` runs no test: CI saves a minute."""
    if not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    wanted = config.getoption("markexpr")
    if wanted == "long":
        return True if not any(one.startswith(f"{_named(collection_path)}::") for one in _long()) else None
    return True if wanted == "not heavy and not long" and _heavy(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as heavy what CI need not run on more than one Python, and as long what tests/long.txt lists."""
    for item in items:
        if _heavy(item.path):
            item.add_marker(pytest.mark.heavy)
        if f"{_named(item.path)}::{getattr(item, 'originalname', item.name)}" in _long():
            item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Where reading is not the subject, each report is read once: for the fixtures of a session too."""
    here = Path(__file__).parent
    if not item.path.is_relative_to(here) or item.path.relative_to(here).parts[0] not in _READ_ONCE:
        return (yield)
    from tests import read_once

    with pytest.MonkeyPatch.context() as patch:
        read_once.use(patch)
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave what is imported by now out of garbage collection, which took a fifth of the time of tests of screens."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)


@pytest.fixture(scope="session", autouse=True)
def user_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty folder that stands for the user's data folder, in child processes too."""
    folder = tmp_path_factory.mktemp("user-data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder / "ncu-advisor"


@pytest.fixture(autouse=True)
def spares_closed() -> Iterator[None]:
    """No test gets a child process that another one started."""
    yield
    if spares := sys.modules.get("advisor.readers.spares"):
        spares.SPARES.close()


@pytest.fixture(scope="session")
def tour_path() -> Path:
    return resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"


@pytest.fixture(scope="session")
def tour(tour_path: Path) -> Any:
    """The analysis of the bundled report."""
    from advisor.reasoning.diagnose import analyse

    return analyse([tour_path])


@pytest.fixture(scope="session", autouse=True)
def heard() -> None:
    """Background jobs and nohup start with some of these signals ignored, which the tests of signals need."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
