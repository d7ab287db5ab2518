"""What an analysis starts from (pipelines.Inputs) as plain data: one record a launch, so that a session replays on a
machine that never had the report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from advisor.errors import InputError
from advisor.readings import IDENTITY, Access, RuleResult

if TYPE_CHECKING:
    import pandas as pd

Shape = tuple[int, int, int] | None
Number = float | None
# space, kind, width, executed, lanes, sectors, ideal, wavefronts, ideal: null where the report lacks it
AccessRow = tuple[str, str, int, Number, Number, Number, Number, Number, Number]
_NAME_CHARS = 10_000


class Launch(msgspec.Struct, omit_defaults=True):
    """One launch of the reading whose number is `reading`: IDENTITY of the frame, and the metrics that are known."""

    reading: int
    report: int
    index: int
    kernel: str
    kernel_full: str
    gpu_name: str = ""
    cc: str = ""
    grid: Shape = None
    block: Shape = None
    metrics: dict[str, float] = {}
    opcodes: dict[str, float] | None = None
    accesses: tuple[AccessRow, ...] | None = None
    rules: tuple[tuple[str, str, str, Number, Number], ...] = ()


def launches_of(frame: pd.DataFrame, reading: int) -> list[Launch]:
    """The rows of a frame; values that are no finite numbers are left out."""
    columns = [name for name in frame.columns if name not in IDENTITY]
    table = frame[columns].to_numpy(dtype=float)
    out = []
    for at, (_, row) in enumerate(frame[[n for n in IDENTITY if n in frame]].iterrows()):
        known = {n: v for n, v in zip(columns, table[at].tolist(), strict=True) if math.isfinite(v)}
        opcodes, accesses, rules = (row.get(name) for name in ("opcodes", "accesses", "rules"))
        out.append(
            Launch(
                reading=reading,
                report=int(row["report"]),
                index=int(row["index"]),
                kernel=str(row["kernel"]),
                kernel_full=str(row["kernel_full"]),
                gpu_name=str(row["gpu_name"] or ""),
                cc=str(row["cc"] or ""),
                grid=_shape(row["grid"]),
                block=_shape(row["block"]),
                metrics=known,
                opcodes={str(k): float(v) for k, v in opcodes.items()} if isinstance(opcodes, dict) else None,
                accesses=tuple(map(_access_row, accesses)) if isinstance(accesses, tuple) else None,
                rules=tuple(map(_rule_row, rules)) if isinstance(rules, tuple) else (),
            )
        )
    return out


def _shape(value: Any) -> Shape:
    return (int(value[0]), int(value[1]), int(value[2])) if isinstance(value, tuple) else None


def _finite(value: float | None) -> Number:
    return float(value) if value is not None and math.isfinite(value) else None


def _access_row(item: Access) -> AccessRow:
    numbers = (item.executed, item.lanes, item.sectors, item.sectors_ideal, item.wavefronts, item.wavefronts_ideal)
    a, b, c, d, e, f = map(_finite, numbers)
    return item.space, item.kind, item.width, a, b, c, d, e, f


def _rule_row(item: RuleResult) -> tuple[str, str, str, Number, Number]:
    return item.id, item.title, item.message, _finite(item.speedup), _finite(item.local_pct)


def frame_of(launches: Sequence[Launch], metrics: Iterable[str]) -> pd.DataFrame:
    """The frame of the launches of one reading; of their values those of `metrics`, which are all that is known.

    InputError when there is no launch.
    """
    import pandas as pd

    from advisor.reports.names import clean

    if not launches:
        raise InputError("the transcript holds no launch of this report")
    identity = [
        {
            "report": launch.report,
            "index": launch.index,
            "kernel": clean(launch.kernel, _NAME_CHARS)[0],
            "kernel_full": clean(launch.kernel_full, _NAME_CHARS)[0],
            "grid": launch.grid,
            "block": launch.block,
            "gpu_name": clean(launch.gpu_name, _NAME_CHARS)[0],
            "cc": launch.cc,
            "opcodes": launch.opcodes,
            "accesses": None if launch.accesses is None else tuple(map(_access, launch.accesses)),
            "rules": tuple(RuleResult(*row) for row in launch.rules),
        }
        for launch in launches
    ]
    used = {name for launch in launches for name in launch.metrics}
    values = {n: [launch.metrics.get(n, math.nan) for launch in launches] for n in metrics if n in used}
    return pd.concat([pd.DataFrame(identity), pd.DataFrame(values, dtype=float)], axis=1)


def _access(row: AccessRow) -> Access:
    space, kind, width, *numbers = row
    a, b, c, d, e, f = (math.nan if n is None else n for n in numbers)
    return Access(space, kind, width, a, b, c, d, e, f)
