"""Every regular expression of the program ends soon on any text: none backtracks without limit.

Input is hostile, and an expression such as `a*\\s*(b)?\\s*$` takes hours on 20,000 blanks. Each compiled expression
that a module holds is tried on long runs of the characters that it could repeat.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import advisor

SHORT, LENGTH = 1_000, 30_000
RUNS = (" ", "\t", "0", "a", "(", ")", "()", "[", "-", "_", ",", "1,", "1.", "a b ", "::", "<", "<a>", "/*", "\\", '"')
ENDS = ("", "!")
LIMIT_S = {SHORT: 0.15, LENGTH: 0.15}  # for the best of two tries; a linear expression takes some milliseconds


def patterns(held: object, name: str, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(held, re.Pattern):
        yield name, held
    elif isinstance(held, dict) and depth < 3:
        for key, value in held.items():
            yield from patterns(value, f"{name}[{key!r}]", depth + 1)
    elif isinstance(held, tuple | list | frozenset) and depth < 3:
        for at, value in enumerate(held):
            yield from patterns(value, f"{name}[{at}]", depth + 1)


def everywhere() -> Iterable[tuple[str, re.Pattern[str]]]:
    seen = set()
    for found in pkgutil.walk_packages(advisor.__path__, "advisor."):
        # The stand-ins are no modules of this program: they are written into the rule for Nsight Compute as text.
        if found.name.endswith("__main__") or found.name.startswith("advisor.nvrules.standins"):
            continue
        module = importlib.import_module(found.name)
        for name, held in vars(module).items():
            for where, pattern in patterns(held, f"{found.name}.{name}"):
                if isinstance(pattern.pattern, str) and pattern.pattern not in seen:
                    seen.add(pattern.pattern)
                    yield where, pattern


# The names of the expressions that must match a whole text: what follows a run can then make them try again.
WHOLE = {
    match[1]
    for path in Path(advisor.__path__[0]).rglob("*.py")
    for match in re.finditer(r"(\w+)\.fullmatch\(", path.read_text("utf-8"))
}


# Expressions that are searched for in texts of limited length.
BOUNDED = {"advisor.readers.console._SHAPE": 120}


def searched(where: str) -> bool:
    """Whether a reader searches with it in a line of a file, which can be a megabyte long."""
    module, _, name = where.partition("[")[0].rpartition(".")
    if not module.startswith(("advisor.readers.", "advisor.timeline.", "advisor.hardware.")) or where in BOUNDED:
        return False
    path = Path(advisor.__path__[0]).joinpath(*module.split(".")[1:]).with_suffix(".py")
    return re.search(rf"\b{name}\.(search|sub|split|finditer|findall)\(", path.read_text("utf-8")) is not None


def seconds(call: Callable[[str], object], text: str, limit_s: float) -> float:
    tries = []
    for _ in range(2):
        start = time.process_time()
        call(text)
        tries.append(time.process_time() - start)
        if tries[-1] < limit_s:
            break
    return min(tries)


def slow_runs(where: str, pattern: re.Pattern[str]) -> list[tuple[str, str, int, float]]:
    """The texts on which it takes too long, and how long."""
    slow = []
    for run in RUNS:
        for end in ENDS:
            # The short text first: a cubic expression would take hours on the long one. A search may be quadratic,
            # since it tries every place, unless the text is a line of a file.
            tries = [(SHORT, pattern.search), (LENGTH, pattern.match)]
            if searched(where):
                tries.append((LENGTH, pattern.search))
            if where.rpartition(".")[2] in WHOLE:
                tries += [(SHORT, pattern.fullmatch), (LENGTH, pattern.fullmatch)]
            for length, call in tries:
                took = seconds(call, run * (length // len(run)) + end, LIMIT_S[length])
                if took >= LIMIT_S[length]:
                    slow.append((run, end, length, round(took, 2)))
                    break
    return slow


def test_every_expression_ends_soon_on_long_runs():
    found = list(everywhere())  # imports all modules, so not when tests are collected
    assert len(found) > 40
    for where, pattern in found:
        assert not slow_runs(where, pattern), f"{where}: {pattern.pattern!r}"
