"""What of a launch's arithmetic all threads of a block share, as canonical metrics (`hardware.sass_uniform`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from advisor.hardware.sass_uniform import MOST, same_in_block

# In little arithmetic, the reciprocals of integer divisions count for much.
_LEAST_ARITHMETIC = 0.2


def shared_work(texts: Mapping[int, str], executed: Mapping[int, float]) -> dict[str, float]:
    """Return the metrics of a launch; empty if its code cannot be followed or hardly computes.

    texts: address -> instruction; executed: address -> executions by warps.
    """
    found = same_in_block(texts, executed)
    if found is None or found.arithmetic <= _LEAST_ARITHMETIC * math.fsum(executed.values()):
        return {}
    return {
        "same_arithmetic_share": found.same / found.arithmetic,
        "same_work_inst": max(0.0, found.work - found.used),
    }


class SharedWork:
    """The metrics of the launches of a report, each code with the same executions once. The messages of a child."""

    def __init__(self, most: int) -> None:
        """Take the most instructions of a report that are followed."""
        self._left = most
        self._texts: dict[str, dict[int, str]] = {}
        self._found: dict[tuple[str, tuple[float, ...]], dict[str, float]] = {}

    def learn(self, key: str, lines: Sequence[Any]) -> None:
        """Take the text of a kernel: pairs of address and instruction."""
        self._texts[key] = {int(pc): str(text) for pc, text in lines}

    def of(self, steps: Any) -> dict[str, float]:
        """Return the metrics of a launch: the key of its code, and pairs of address and executions; empty without."""
        if not steps:
            return {}
        key, counts = steps
        executed = {int(pc): float(count) for pc, count in counts}
        texts = self._texts.get(str(key), {})
        known = str(key), tuple(executed.get(pc, 0.0) for pc in sorted(texts))
        if known not in self._found:
            self._left -= len(texts)
            self._found[known] = shared_work(texts, executed) if self._left >= 0 and len(texts) <= MOST else {}
        return self._found[known]
