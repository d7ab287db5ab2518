"""The input of the reasoning: the readers' frame, the reports, and the user's answers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from advisor.hardware.ceilings import CeilingsByGpu
from advisor.knowledge.base import Catalog, workloads
from advisor.knowledge.schemas import checked
from advisor.records import quantities
from advisor.records.errors import UsageError
from advisor.records.readings import ReportInfo

if TYPE_CHECKING:
    import pandas as pd

Answer = float | str
FORM = "workload"  # the format of a file with typed numbers
_TYPED_UNITS = ("%", "ns", "byte", "byte/s", "Hz", "cycle", "FLOP")


class Inputs(Struct, frozen=True):
    """The inputs of an analysis.

    frame: as the readers return it; gpu: the name given with `--gpu`; answers: by position of the launch, None for all;
    ceilings: measured on this machine's GPUs; empty if they must not influence the result.
    """

    frame: pd.DataFrame
    reports: tuple[ReportInfo, ...]
    gpu: str | None
    answers: Mapping[int | None, Mapping[str, Answer]]
    ceilings: CeilingsByGpu = field(default_factory=dict)

    def answers_of(self, row: int) -> dict[str, Answer]:
        """Return the answers for one launch: its own answers override those for all."""
        return {**self.answers.get(None, {}), **self.answers.get(row, {})}


def checked_answers(catalog: Catalog, answers: Mapping[str, Any]) -> dict[str, Answer]:
    """Check the type and range of answers by question or metric id; raises UsageError for the first wrong one."""
    out: dict[str, Answer] = {}
    for key, value in answers.items():
        question = catalog.questions.get(key)
        if question is None and key not in catalog.metrics:
            raise UsageError(f"{key!r} is neither a question nor a metric: see `ncu-advisor explain questions`")
        if question is not None and question.kind == "choice":
            # YAML reads yes and no as booleans.
            word = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else str(value)
            if word not in question.choices:
                raise UsageError(f"{key}: {value!r} is not one of {', '.join(question.choices)}")
            out[key] = str(word)
            continue
        if key in catalog.quantified:
            raise UsageError(f"{key} follows from the other metrics: give one of those")
        unit = question.unit if question is not None else catalog.metrics[key].unit
        if isinstance(value, str):
            value = _typed(key, value, unit)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UsageError(f"{key}: {value!r} is not a number")
        if unit == "%" and value < 0:
            raise UsageError(f"{key}: {value:g} % is negative")
        low, high = (question.low, question.high) if question is not None else (None, None)
        if (low is not None and value < low) or (high is not None and value > high):
            raise UsageError(
                f"{key}: {value:g} is outside {low} to {high} {question.unit if question else ''}".rstrip()
            )
        out[key] = float(value)
    return out


def _typed(key: str, text: str, unit: str) -> float:
    """Parse a number as people write it (`4 GB`, `12.5 us`, `1e9`), in the question's or metric's unit."""
    try:
        return quantities.parse(text, unit if unit in _TYPED_UNITS else "")
    except UsageError as e:
        raise UsageError(f"{key}: {e}") from None


def parse_assignments(texts: Iterable[str], catalog: Catalog) -> dict[str, float]:
    """Parse `dram_pct=70` to {"dram_pct": 70.0}; raises UsageError for an unknown metric or an invalid value."""
    out: dict[str, float] = {}
    for text in texts:
        name, sign, number = (part.strip() for part in text.partition("="))
        if not sign:
            raise UsageError(f"{text!r} is not METRIC=NUMBER, such as dram_pct=70")
        if name not in catalog.metrics:
            raise UsageError(f"{name!r} is not a metric: `ncu-advisor explain metrics` lists them")
        try:
            value = float(number.replace("_", ""))
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or not re.fullmatch(r"[\d+\-.eE_]+", number):
            raise UsageError(f"{number!r} is not a number: give {name} a value such as {name}=70")
        out[name] = checked(name, catalog.metrics[name].unit, value)
    return out


def knowledge_for(catalog: Catalog, infos: Sequence[ReportInfo]) -> Catalog:
    """Return the rules for what was read: those of kernels or of workloads. Raises UsageError if both were read."""
    forms = {info.format == FORM for info in infos if info.format}
    if len(forms) == 2:
        raise UsageError("workload files and ncu reports have different rules: run them separately")
    return workloads(catalog) if True in forms else catalog
