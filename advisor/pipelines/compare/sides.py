"""The two sides of a comparison, read side by side: a report, or one launch of it written as `REPORT#3`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.catalog import Catalog
from advisor.catalog import catalog as open_catalog
from advisor.errors import InputError, UsageError
from advisor.model import Progress, Reading
from advisor.napkin.ceilings import kept
from advisor.pipelines.diagnose import Analysis, Answer, Inputs, checked_answers

_ONE = re.compile(r"(?P<path>.+)#(?P<launch>[^#]*)", re.DOTALL)
# The largest number that a launch could have: what is longer is no index, and would not fit a frame.
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Side:
    """A report, and the index of the launch that is meant; None: all of them."""

    path: Path
    launch: int | None = None

    def __str__(self) -> str:
        return str(self.path) if self.launch is None else f"{self.path}#{self.launch}"


def parse_side(text: str) -> Side:
    """`REPORT` or `REPORT#3`. A file that is really called so is meant before a launch; UsageError otherwise."""
    whole = Path(text)
    match = _ONE.fullmatch(text)
    if match is None or whole.exists():
        return Side(whole)
    path, number = Path(match["path"]), match["launch"]
    if not path.exists():
        # Neither exists: the reader names the one that was most likely meant.
        return Side(path if number.isdecimal() else whole)
    if not (number.isdecimal() and number.isascii() and len(number) <= _MOST_DIGITS):
        raise UsageError(f"{text!r}: after # comes the number of a launch, from 0, such as {path.name}#0")
    return Side(path, int(number))


def read_sides(
    base: Side,
    current: Side,
    *,
    answers: Mapping[str, Answer] | None = None,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    kernel: re.Pattern[str] | None = None,
    progress: Progress | None = None,
) -> tuple[Analysis, Analysis]:
    """Read both reports at once (one, where both sides are launches of it) and reason about each.

    InputError when either cannot be read, UsageError when a launch is not there or `kernel` matches none on a side.
    """
    # Not before it is needed: a session names sides from its start.
    from advisor.pipelines.workloads import knowledge_for
    from advisor.reports import read

    cat = open_catalog(knowledge)
    answered = checked_answers(cat, answers or {})
    # Loaded here, so that two threads do not load it twice.
    open_catalog().metrics  # noqa: B018
    paths = list(dict.fromkeys((base.path, current.path)))
    if progress is not None:
        progress("read", 0, len(paths))
    with ThreadPoolExecutor(len(paths)) as pool:
        tellers = _together(progress, len(paths))
        readings = dict(zip(paths, pool.map(lambda path, say: read(path, progress=say), paths, tellers), strict=True))
    if progress is not None:
        progress("reason", 0, 1)
    cat = knowledge_for(cat, [reading.info for reading in readings.values()])
    sides = (base, current)
    made = [_analysis(cat, readings[side.path], side, gpu, answered, kernel) for side in sides]
    return made[0], made[1]


def _together(progress: Progress | None, count: int) -> list[Progress | None]:
    """What each of several readings at a time tells: how far all of them are."""
    if progress is None:
        return [None] * count
    states = [(0, 0)] * count

    def teller(at: int) -> Progress:
        def tell(what: str, done: int, total: int) -> None:
            states[at] = done, total
            progress(what, sum(one for one, _ in states), sum(all_ for _, all_ in states))

        return tell

    return [teller(at) for at in range(count)]


def _analysis(
    cat: Catalog,
    reading: Reading,
    side: Side,
    gpu: str | None,
    answers: Mapping[str, Answer],
    kernel: re.Pattern[str] | None,
) -> Analysis:
    from advisor.pipelines.context import add_neighbours

    # Before any filter, as in `analyse`: what the other launches say of one does not depend on what is looked at.
    frame = add_neighbours(reading.frame)
    if not len(frame):
        raise InputError(f"{side.path}: no kernel launch in it can be read")
    if side.launch is not None:
        highest = int(frame["index"].max())
        frame = frame[frame["index"] == side.launch]
        if not len(frame):
            raise UsageError(f"{side}: there is no launch {side.launch}: they count from 0 to {highest}")
    if kernel is not None:
        frame = frame[[bool(kernel.search(str(name))) for name in frame["kernel_full"]]]
        if not len(frame):
            raise UsageError(f"{side}: no launch matches --kernel: the names are those that `diagnose` prints")
    info = replace(reading.info, path=str(side))
    return Analysis(cat, Inputs(frame.reset_index(drop=True), (info,), gpu, {None: dict(answers)}, kept()))
