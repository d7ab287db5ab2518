"""The per-instruction table of one launch, read on demand: what each instruction executed, moved and waited for."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import InputError
from advisor.reports import sniffing
from advisor.reports.limits import Limits
from advisor.reports.names import clean
from advisor.reports.parent import Child
from advisor.reports.unpack import unpack

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class LaunchCode:
    """The instructions of one launch, in the order of their addresses.

    table: as `read_instances` gives it; calls: of each instruction, (file, line) of the calls that it was inlined at,
    innermost first; functions: of each, the mangled name of the inlined function that it belongs to, '' for none;
    ptx_lines: of each, the line of `ptx` that it was made of, from 1, 0 where that is unknown; ptx: the text, empty
    where the report has none; sources: the text of each source file that the report carries along.
    """

    table: pd.DataFrame
    calls: tuple[tuple[tuple[str, int], ...], ...]
    functions: tuple[str, ...]
    ptx_lines: tuple[int, ...]
    ptx: tuple[str, ...]
    sources: dict[str, str]


def read_instances(
    path: Path, index: int, metric_names: Sequence[str], with_sass: bool = True, *, limits: Limits | None = None
) -> pd.DataFrame:
    """One row for each instruction of launch `index` of a binary report, ordered by address.

    Columns: pc (address), file and line ('' and 0 without line information), sass ('' unless `with_sass`, or where the
    code is not in the report), and a float column for each of `metric_names` (ncu's names of source metrics); NaN where
    the report lacks the metric, 0 where it has it but not for this instruction. No rows without such metrics.
    Inlined code has the line of the function that was inlined; the calls are in `read_code`.
    Raises InputError for another kind of file and for a launch that cannot be read.
    """
    return read_code(path, index, metric_names, with_sass, limits=limits).table


def read_code(
    path: Path, index: int, metric_names: Sequence[str], with_sass: bool = True, *, limits: Limits | None = None
) -> LaunchCode:
    """The same table with what the machine code tells beside it; no PTX and no sources unless `with_sass`."""
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
    known: dict[str, Any] = next(
        (message for message in messages if "frames" in message), {"frames": [], "ptx_text": []}
    )
    frames = [(clean(str(file), 4096)[0], int(line), clean(str(name), 4096)[0]) for file, line, name in known["frames"]]
    chains = [[frames[at] for at in row["at"]] for row in rows]
    firsts = [chain[0] if chain else ("", 0, "") for chain in chains]
    table: dict[str, object] = {
        "pc": pd.Series([row["pc"] for row in rows], dtype="uint64"),
        "file": pd.Series([file for file, _, _ in firsts], dtype=object),
        "line": pd.Series([line for _, line, _ in firsts], dtype="int64"),
        "sass": pd.Series([clean(str(row["sass"]), 4096)[0] for row in rows], dtype=object),
    }
    for i, name in enumerate(names):
        values = [math.nan if row["values"][i] is None else float(row["values"][i]) for row in rows]
        table[name] = pd.Series(values, dtype="float64")
    return LaunchCode(
        pd.DataFrame(table),
        tuple(tuple((file, line) for file, line, _ in chain[1:]) for chain in chains),
        tuple(name for _, _, name in firsts),
        tuple(int(row["ptx"]) for row in rows),
        tuple(map(str, known["ptx_text"])),
        {clean(str(m["source"]), 4096)[0]: str(m["text"]) for m in messages if "source" in m},
    )
