"""Numbers that the messages of ncu's rules state, for reports that lack the metrics themselves.

Console text and the CSV of the details page hold few metrics beside what each section prints; the messages of the rules
repeat more of them: the leading stall, the busiest pipe, excess sectors and wavefronts. The texts and what follows from
their numbers are in knowledge/ncu_messages.yaml.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from advisor.knowledge.expressions import parse
from advisor.knowledge.loader import load_mapping
from advisor.readers.numbers import number
from advisor.records import resources
from advisor.records.readings import ReportInfo, RuleResult

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]
_TEXTS = ("text", "details-csv")  # formats
_NUMBER = r"([\d.,]*\d)"
_REST = r"[^.]{0,90}?"


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A message with numbers. text: its words, with {names} for numbers and ... for other words of the sentence.

    gives: canonical metric -> formula of these names and of metrics of the launch, in the unit of the metric.
    """

    text: str
    gives: Mapping[str, str]
    cites: tuple[str, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers, in their order."""
        return tuple(re.findall(r"\{(\w+)\}", self.text))

    @cached_property
    def longest(self) -> str:
        """The longest run of words without a number, by which a message is recognised quickly."""
        return max(re.split(r"\{\w+\}|\.\.\.", self.text), key=len)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds the text in a message."""
        parts = re.split(r"(\{\w+\}|\.\.\.)", self.text)
        words = (_NUMBER if p.startswith("{") else _REST if p == "..." else re.escape(p) for p in parts)
        return re.compile("".join(words))

    def numbers(self, message: str) -> dict[str, float] | None:
        """Return the numbers of a message by name; None if it is another one."""
        found = self.pattern.search(message) if self.longest in message else None
        if found is None:
            return None
        return {name: number(text) for name, text in zip(self.names, found.groups(), strict=True)}


@lru_cache(maxsize=1)
def messages() -> dict[str, Message]:
    """Return the messages of the knowledge base."""
    return load_mapping(resources.folder("knowledge") / "ncu_messages.yaml", Message)


def stated(rules: Iterable[RuleResult], known: Mapping[str, float]) -> dict[str, float]:
    """Return the canonical metrics that the messages of a launch state. known: metrics that the formulas may read."""
    out: dict[str, float] = {}
    for rule in rules:
        for message in messages().values():
            numbers = message.numbers(rule.message)
            if numbers is None:
                continue
            for metric, formula in message.gives.items():
                value = parse(formula).scalar({**known, **numbers})
                if math.isfinite(value):
                    out.setdefault(metric, value)
    return out


def completed_by_messages(frame: pd.DataFrame, infos: Sequence[ReportInfo]) -> dict[str, Array]:
    """Return the columns of the frame that messages complete, each with the values that it has already.

    Reports of ncu itself have every metric that their messages are made of.
    """
    texts = {at for at, info in enumerate(infos) if info.format in _TEXTS}
    if not texts:
        return {}
    read = {
        name for message in messages().values() for formula in message.gives.values() for name in parse(formula).names
    }
    inputs = {name: frame[name].to_numpy(dtype=float) for name in sorted(read) if name in frame}
    out: dict[str, Array] = {}
    for row, (report, rules) in enumerate(zip(frame["report"], frame["rules"], strict=True)):
        if report not in texts or not isinstance(rules, tuple):
            continue
        for metric, value in stated(rules, {name: float(column[row]) for name, column in inputs.items()}).items():
            if metric not in out:
                has = metric in frame
                out[metric] = frame[metric].to_numpy(dtype=float).copy() if has else np.full(len(frame), np.nan)
            if not math.isfinite(out[metric][row]):
                out[metric][row] = value
    return out
