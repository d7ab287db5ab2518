"""Metrics of launches that are followed through the machine code: arithmetic that all threads of a block share
(`hardware.sass_uniform`), bytes that loads read again (`hardware.sass_rereads`), what is executed between barriers
(`hardware.sass_barriers`), and integers that compute with data (`hardware.sass_data`).
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from advisor.hardware import sass_barriers, sass_data, sass_rereads, sass_uniform
from advisor.hardware.simulators import SECTOR
from advisor.readers.marks import LEAST_ARITHMETIC

T = TypeVar("T")
_FEW_LANES = 16  # of 32: an instruction that fewer execute on average is no work of all threads
# Lanes of a load that nearly all execute, and sectors of one for all of them: edges of the data leave some out.
_NEARLY_ALL, _ONE_SECTOR = 28, 1.05
_LOAD = re.compile(r"\s*(?:@!?U?P\d\s+)?LDG\b")


def shared_work(kinds: sass_uniform.Kinds | None, executed: Mapping[int, float], whose: str) -> dict[str, float]:
    """Return how much of a launch's arithmetic is the same in all threads of a block; empty if that is not known.

    executed: address -> executions by warps; whose: the first word of the metrics.
    """
    found = kinds.weighed(executed) if kinds is not None else None
    # In little arithmetic, the reciprocals of integer divisions count for much.
    if found is None or not found.arithmetic > LEAST_ARITHMETIC * math.fsum(executed.values()):
        return {}
    return {
        f"{whose}_arithmetic_share": found.same / found.arithmetic,
        f"{whose}_work_inst": max(0.0, found.work - found.used),
    }


def few_lanes(executed: Mapping[int, float], threads: Mapping[int, float]) -> frozenset[int]:
    """Return the addresses that few lanes of a warp execute. threads: address -> executions by threads."""
    return frozenset(pc for pc, count in executed.items() if threads.get(pc, math.inf) < _FEW_LANES * count)


def loads_alike(
    texts: Mapping[int, str], executed: Mapping[int, float], threads: Mapping[int, float], sectors: Mapping[int, float]
) -> frozenset[int]:
    """Return the addresses of global loads that give all lanes of a warp one sector: at most 8 values for 32 lanes."""
    return frozenset(
        pc
        for pc, count in executed.items()
        if 0 < sectors.get(pc, 0.0) <= _ONE_SECTOR * count
        and threads.get(pc, 0.0) >= _NEARLY_ALL * count
        and _LOAD.match(texts.get(pc, ""))
    )


def repeated_reads(
    found: sass_rereads.Rereads | None, executed: Mapping[int, float], sectors: Mapping[int, float]
) -> dict[str, float]:
    """Return the bytes that the loops of a launch read again, write again and read back; empty if that is not known.

    sectors: address -> sectors of global accesses.
    """
    if found is None:
        return {}
    return {
        "reread_bytes": SECTOR * found.sectors(executed, sectors),
        "rewritten_bytes": SECTOR * found.rewritten(executed, sectors),
        "read_back_bytes": SECTOR * found.read_back(sectors),
    }


def between_barriers(
    found: sass_barriers.Parts | None, executed: Mapping[int, float], threads: Mapping[int, float]
) -> dict[str, float]:
    """Return the instructions of levels of trees, their lanes, and those of one lane alone; empty if not known."""
    if found is None:
        return {}
    out = {"level_inst": found.exchanged(executed)}
    if threads:
        out["lone_lane_inst"] = found.serial(executed, threads)
        lanes = found.lanes(executed, threads)
        out |= {} if lanes is None else {"level_lanes": lanes}
    return out


def work_on_data(found: sass_data.DataWork | None, executed: Mapping[int, float]) -> dict[str, float]:
    """Return the executed instructions that compute with data, by kind; empty if that is not known."""
    if found is None:
        return {}
    alu, fma, pairs = (math.fsum(executed.get(pc, 0.0) for pc in pcs) for pcs in (found.alu, found.fma, found.pairs))
    return {"data_alu_inst": alu, "data_product_inst": fma, "loaded_pair_inst": pairs}


class Followed:
    """The metrics of the launches of a report, from the messages of its children; each code is followed once."""

    def __init__(self, most: int) -> None:
        """Take the most instructions of a report that are followed, of all kernels."""
        self._left = most
        self._lock = threading.Lock()
        self._texts: dict[str, dict[int, str]] = {}
        self._kinds: dict[Any, sass_uniform.Kinds | None] = {}
        self._rereads: dict[Any, sass_rereads.Rereads | None] = {}
        self._parts: dict[Any, sass_barriers.Parts | None] = {}
        self._data: dict[Any, sass_data.DataWork | None] = {}

    def learn(self, key: str, lines: Sequence[Any]) -> None:
        """Add to the text of a kernel: pairs of address and instruction."""
        with self._lock:
            if self._left > 0:
                self._texts[key] = self._texts.get(key, {}) | {int(pc): str(text) for pc, text in lines}

    def of(self, steps: Any) -> dict[str, float]:
        """Return the metrics of a launch; empty without steps. Raises ValueError for numbers that are no counts.

        steps: the key of its code; what is followed, as marks.Looks names it; pairs of address and executions, of
        address and executions by threads, and of address and sectors of global accesses: those that this takes.
        """
        if not steps:
            return {}
        key, what, *given = steps
        executed, threads, sectors = ({int(pc): float(count) for pc, count in pairs} for pairs in given)
        if not all(0 <= count < math.inf for table in (executed, threads, sectors) for count in table.values()):
            raise ValueError("counts are finite and not negative")
        with self._lock:
            texts = self._texts.get(str(key), {})
            texts = {pc: texts[pc] for pc, count in executed.items() if count and pc in texts}
            run = str(key), frozenset(texts)
            out: dict[str, float] = {}
            if "arithmetic" in what and threads:
                few = few_lanes(executed, threads)
                kinds = self._once(self._kinds, (*run, few), texts, lambda code: sass_uniform.kinds_of(code, few))
                out |= shared_work(kinds, executed, "same")
                if alike := loads_alike(texts, executed, threads, sectors):
                    run_alike = (*run, few, alike)
                    kinds = self._once(
                        self._kinds, run_alike, texts, lambda code: sass_uniform.kinds_of(code, few, alike)
                    )
                out |= shared_work(kinds, executed, "warp")
            if "loads" in what and sectors:
                out |= repeated_reads(self._once(self._rereads, run, texts, sass_rereads.rereads), executed, sectors)
            if "barriers" in what:
                parts = self._once(self._parts, run, texts, sass_barriers.parts_between)
                out |= between_barriers(parts, executed, threads)
            if "integers" in what:
                out |= work_on_data(self._once(self._data, run, texts, sass_data.data_work), executed)
            return out

    def _once(
        self, known: dict[Any, T | None], key: Any, texts: dict[int, str], follow: Callable[[dict[int, str]], T | None]
    ) -> T | None:
        """Return what following a code gives, of the first time; None beyond the limit of the report."""
        if key not in known:
            self._left -= len(texts)
            if self._left >= 0 and texts:
                known[key] = follow(texts)
        return known.get(key)
