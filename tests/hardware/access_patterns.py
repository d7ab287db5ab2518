"""The table of tests/data/access_patterns.yaml: what the simulators say of each entry, and what its report counted."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from advisor.hardware import lanes
from advisor.hardware.lanes import LANES, WIDTHS, access
from advisor.hardware.simulators import BankUse, Coalescing, banks_of, coalescing_of
from advisor.readers import launch_code
from advisor.records.errors import UsageError

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests" / "data" / "access_patterns.yaml"
METRICS = {
    "global": ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"),
    "shared": ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"),
}


@dataclass(frozen=True)
class Entry:
    """One line of the table."""

    exercise: str
    raw: dict[str, Any]

    @property
    def shared(self) -> bool:
        return str(self.raw["op"])[:3] in ("LDS", "STS")

    @property
    def place(self) -> tuple[str, int, str]:
        """What the counters are summed over: step and launch, line, opcode."""
        return f"{self.raw['step']}/{self.raw.get('launch', 0)}", self.raw["line"], str(self.raw["op"])

    @property
    def name(self) -> str:
        return f"{self.exercise}-{self.raw['step']}-{self.raw['line']}-{self.raw['op']}-{self.raw['index']}"

    def simulated(self) -> tuple[float, float]:
        """Sectors or wavefronts an executed instruction, and their ideal."""
        raw = self.raw
        size, wide = access(str(raw.get("type", "float")), raw.get("vector", 1))
        where = lanes.condition(raw["where"]) if "where" in raw else None
        over = {key: _values(value) for key, value in raw.get("over", {}).items()}
        total = ideal = executed = 0
        for combination in itertools.product(*over.values()):
            given = {**raw.get("with", {}), **dict(zip(over, combination, strict=True))}
            parameters = {key.replace(".", "_"): value for key, value in given.items()}
            formula = lanes.index(str(raw["index"]))
            for warp in lanes.warps(formula, where, lanes.block(str(raw.get("block", 256))), parameters):
                at = [None if i is None else i * size for i in warp]
                executed += bool(raw.get("predicated")) or any(i is not None for i in at)
                if self.shared:
                    banked = banks_of(at, wide)
                    total, ideal = total + banked.wavefronts, ideal + banked.ideal
                else:
                    spread = coalescing_of(at, wide)
                    total, ideal = total + spread.sectors, ideal + spread.ideal
        return total / executed, ideal / executed


def _values(value: object) -> list[int]:
    return list(range(*map(int, value.split(":")))) if isinstance(value, str) else list(value)  # type: ignore[call-overload]


def entries() -> list[Entry]:
    """All lines of the table."""
    table = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return [Entry(exercise, raw) for exercise, raws in table.items() for raw in raws]


def instructions(exercise: str, place: str) -> pd.DataFrame:
    """The instructions of the launch of an entry's place with their counters."""
    step, launch = place.split("/")
    home = ROOT / "kernels" / exercise / "recorded" / "h200"
    if exercise == "tour":
        report, number = home / "tour.ncu-rep.xz", int(step)
    else:
        record = json.loads((home / "record.json").read_text(encoding="utf-8"))
        report, number = home / "profile.ncu-rep.xz", record["steps"][step]["launches"][int(launch)]
    wanted = [name for names in METRICS.values() for name in names]
    return launch_code.read_instances(report, number, [*wanted, "inst_executed"], with_sass=True)


def counted(found: pd.DataFrame, entry: Entry) -> set[tuple[float, float]]:
    """The different pairs (actual, ideal) an executed instruction that the entry's line and opcode show."""
    exact = entry.place[2] if entry.raw.get("exact") else None

    def same(sass: str) -> bool:
        words = [word for word in sass.split() if not word.startswith("@")]
        return bool(words) and (words[0] == exact if exact else words[0].startswith(entry.place[2]))

    here = found[(found.line == entry.place[1]) & found.sass.map(same) & (found.inst_executed > 0)]
    actual, ideal = METRICS["shared" if entry.shared else "global"]
    return {
        (round(a / n, 6), round(i / n, 6))
        for a, i, n in zip(here[actual], here[ideal], here.inst_executed, strict=True)
    }


def _checked(width: int, lanes: int) -> None:
    if width not in WIDTHS:
        raise UsageError(f"a lane accesses 1, 2, 4, 8 or 16 bytes, not {width}")
    if not 1 <= lanes <= LANES:
        raise UsageError(f"a warp has 1 to {LANES} active lanes, not {lanes}")


def coalescing(
    width: int = 4, stride: int = 1, offset: int = 0, lanes: int = LANES, block_x: int = LANES, row_stride: int = 0
) -> Coalescing:
    """A global access in which lane l touches element (l // block_x) * row_stride + (l % block_x) * stride.

    width: bytes of an element; stride and row_stride: elements; offset: bytes from a 32-byte boundary to element 0.
    Ideals and words: errata.sectors (4 sectors for 32 x 4 bytes, 16 for 32 x 16), errata.row_stride.
    """
    _checked(width, lanes)
    if block_x < 1:
        raise UsageError(f"a block has at least 1 thread in x, not {block_x}")
    starts = [offset + (lane // block_x * row_stride + lane % block_x * stride) * width for lane in range(lanes)]
    return coalescing_of([*starts, *[None] * (LANES - lanes)], width)


def banks(width: int = 4, stride: int = 1, offset: int = 0, lanes: int = LANES) -> BankUse:
    """A shared access in which lane l touches the `width` bytes at offset + l x stride x width."""
    _checked(width, lanes)
    starts = [offset + lane * stride * width for lane in range(lanes)]
    return banks_of([*starts, *[None] * (LANES - lanes)], width)
