"""Every number of the sources' worked cases, held against what the replayed sessions record.

`python -m tests.bench.seed_numbers` writes docs/worked-cases.md; `--check` exits with 1 where that is out of date.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from advisor.hardware import gpus, roofline
from advisor.knowledge.expressions import parse
from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session import events as e
from advisor.session.state import State
from advisor.session.transcripts.player import Player
from advisor.view.blocks import in_lines
from advisor.view.charts.roofline import mix_roof

ROOT = Path(__file__).parents[2]
DATA, PAGE = ROOT / "tests" / "data" / "seed_numbers.yaml", ROOT / "docs" / "worked-cases.md"
_SIZES = {"gemm": {"m": 4096.0, "n": 4096.0, "k": 4096.0}}


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """A number of a source, and where the program has it, as the top of the data file describes."""

    what: str
    seed: float
    where: str
    unit: str = ""
    get: str = ""
    shows: str = ""
    program: float | None = None
    within: float = 0.005
    session: str = ""
    why: str = ""

    @property
    def expected(self) -> float:
        """The value that the program must have."""
        return self.seed if self.program is None else self.program


class Case(msgspec.Struct, forbid_unknown_fields=True):
    """The numbers of one case."""

    source: str
    session: str
    rows: tuple[Row, ...]


@cache
def cases() -> dict[str, Case]:
    """The table."""
    return load(DATA, dict[str, Case])


@cache
def replayed(session: str) -> State:
    """The last state of a bundled session."""
    player = Player.load(resources.folder("transcripts") / f"{session}.jsonl")
    return player.state(len(player))


@cache
def texts(session: str) -> str:
    """All that a session shows: its conversation, and its steps in words."""
    player = Player.load(resources.folder("transcripts") / f"{session}.jsonl")
    lines = [step.words for step in player.steps]
    for card in replayed(session).cards:
        lines += [card.title, *(f"{line.label} {line.text}" for line in in_lines(card.lines))]
    return "\n".join(lines)


@cache
def numbers(session: str) -> Mapping[str, float]:
    """The values of a session by the names of the data file."""
    state = replayed(session)
    launches = [launch for launch, _ in state.earlier] + ([state.launch] if state.launch is not None else [])
    out: dict[str, float] = {}
    for number, launch in enumerate(launches, 1):
        out |= {f"{name}_v{number}": value for name, value in _of(launch).items()}
    for number, row in enumerate(state.experiments, 1):
        if row.ratio is not None:
            out[f"ratio_v{number}"] = row.ratio
    return out


def _of(launch: LaunchDiagnosis) -> dict[str, float]:
    out = dict(launch.metrics)
    for quantity in launch.quantities:
        for name, value in (("share", quantity.share), ("most", quantity.at_most)):
            if value is not None:
                out[f"{name}_{quantity.id}"] = value
    mix = mix_roof(launch)
    if mix is not None:
        out |= {"mix_peak": mix.peak, "mix_fused": mix.fused, "mix_share": mix.share}
        out |= {} if mix.reached is None else {"mix_reached": mix.reached}
    return out


def value(case: Case, row: Row) -> float:
    """The program's value of a row; NaN if it has none."""
    kind, *names = row.get.split()
    if kind == "ridge":
        card = gpus.gpu(names[0])
        return card.peaks[names[1]] / card.bandwidth if card.bandwidth else math.nan
    if kind == "napkin":
        return roofline.estimate(names[0], _SIZES.get(names[0]), dtype=names[1], gpu_name="H100-SXM").intensity
    columns = {name: np.array([number]) for name, number in numbers(row.session or case.session).items()}
    return float(parse(row.get).column(columns, 1)[0])


@cache
def _typed(session: str) -> frozenset[str]:
    """The metrics that the user types in a session."""
    out: set[str] = set()
    for event in replayed(session).log:
        if isinstance(event, e.Answered):
            out.add(event.question)
        elif isinstance(event, e.Volunteered):
            out |= {name for name, _ in event.values}
    return frozenset(out)


def is_typed(case: Case, row: Row) -> bool:
    """Whether the row only shows a number that was typed, in another unit at most."""
    if not row.get or row.get.split()[0] in ("ridge", "napkin"):
        return False
    names = [re.sub(r"_v\d+$", "", name) for name in parse(row.get).names]
    return len(names) == 1 and names[0] in _typed(row.session or case.session)


def lines() -> Iterator[str]:
    """The page."""
    yield "# Worked cases: every number of the sources"
    yield ""
    yield "The numbers that the sources print for their worked cases, and what the program shows for them. Each row is"
    yield "a test: the session is replayed, and its value must agree within the tolerance. A difference is explained."
    yield "Numbers that no session uses are listed with the reason. Made by `python -m tests.bench.seed_numbers` from"
    yield "`tests/data/seed_numbers.yaml`; `tests/data/headlines.yaml` has further formulas, typed without a session."
    total = [row for case in cases().values() for row in case.rows]
    equal = sum(bool(row.get) and row.program is None for row in total)
    other = sum(row.program is not None for row in total)
    yield ""
    typed = sum(is_typed(case, row) and row.program is None for case in cases().values() for row in case.rows)
    yield f"{len(total)} numbers: {equal} equal ({typed} typed by the session, {equal - typed} computed from them),"
    yield f"{other} different with a reason, and {len(total) - equal - other} that no session computes."
    for name, case in cases().items():
        yield ""
        yield f"## {name[0].upper()}{name[1:]}"
        yield ""
        yield f"Source: {case.source}."
        yield ""
        yield "| number | source | where | session | program | within | remark |"
        yield "| --- | ---: | --- | --- | ---: | ---: | --- |"
        for row in case.rows:
            session = row.session or case.session
            shown = _text(value(case, row), row.unit) if row.get else "shown" if row.shows else "–"
            within = f"{100 * row.within:g} %" if row.get else ""
            place = f"`{session}`" if session else "`napkin`"
            yield (
                f"| {row.what} | {_text(row.seed, row.unit)} | {row.where} | {place} | {shown} | {within} | {row.why} |"
            )


def _text(number: float, unit: str) -> str:
    text = f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.4g}"
    return text + ("×" if unit == "×" else f" {unit}" if unit else "")


def page() -> str:
    """The page as text."""
    return "\n".join(lines()) + "\n"


def main() -> int:
    """Write or check."""
    text = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
