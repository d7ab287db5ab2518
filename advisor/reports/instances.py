"""The per-instruction table of one launch, read on demand: what each instruction executed, moved and waited for."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.errors import InputError
from advisor.reports import sniffing
from advisor.reports.limits import Limits
from advisor.reports.names import clean
from advisor.reports.parent import Child
from advisor.reports.unpack import unpack

if TYPE_CHECKING:
    import pandas as pd


def read_instances(
    path: Path, index: int, metric_names: Sequence[str], with_sass: bool = True, *, limits: Limits | None = None
) -> pd.DataFrame:
    """One row for each instruction of launch `index` of a binary report, ordered by address.

    Columns: pc (address), file and line ('' and 0 without line information), sass ('' unless `with_sass`, or where the
    code is not in the report), and a float column for each of `metric_names` (ncu's names of source metrics); NaN where
    the report lacks the metric, 0 where it has it but not for this instruction. No rows without such metrics.
    Raises InputError for another kind of file and for a launch that cannot be read.
    """
    path, bounds = Path(path), limits or Limits()
    sniffed = sniffing.sniff(path, bounds)
    if not sniffed.wrapping and sniffed.format != "ncu-rep":
        raise InputError(f"{path.name}: only a binary report (.ncu-rep) knows single instructions; give that")
    child = Child(bounds)
    names = list(dict.fromkeys(metric_names))
    try:
        with tempfile.TemporaryDirectory(prefix="ncu-advisor-", ignore_cleanup_errors=True) as folder:
            source = path
            if sniffed.wrapping:
                source = Path(folder) / "unpacked"
                unpack(path, sniffed.wrapping, source, bounds)
                if sniffing.sniff(source, bounds, path.name).format != "ncu-rep":
                    raise InputError(
                        f"{path.name}: only a binary report (.ncu-rep) knows single instructions; give that"
                    )
            job = {"path": str(source), "folder": folder, "first": index, "last": index + 1, "names": names}
            job |= {"instances": True, "sass": with_sass}
            messages = list(child.run(job, bounds.silence_s, time.monotonic() + bounds.total_s))
    finally:
        child.stop()
    if not messages or "done" not in messages[-1]:
        why = str(messages[-1].get("fatal", "")) if messages else ""
        raise InputError(f"{path.name}: the instructions of launch {index} cannot be read{': ' + why if why else ''}")
    import pandas as pd

    rows = [message for message in messages if "pc" in message]
    table: dict[str, object] = {
        "pc": pd.Series([row["pc"] for row in rows], dtype="uint64"),
        "file": pd.Series([clean(str(row["file"]), 4096)[0] for row in rows], dtype=object),
        "line": pd.Series([row["line"] for row in rows], dtype="int64"),
        "sass": pd.Series([clean(str(row["sass"]), 4096)[0] for row in rows], dtype=object),
    }
    for i, name in enumerate(names):
        values = [math.nan if row["values"][i] is None else float(row["values"][i]) for row in rows]
        table[name] = pd.Series(values, dtype="float64")
    return pd.DataFrame(table)
