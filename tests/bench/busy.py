"""Busy cycles of each unit, predicted from counts, against its counter: `python -m tests.bench.busy [FOLDER] [--all]`.

The operators of the time model count events: instructions by opcode, accesses by width, lines and sectors, bytes. They
are right about a fix only if a unit's counter follows those counts on launches as they are. So for every launch, each
unit's service cycles an event (SERVICE and the functions below, by compute capability) give its busy cycles, and these
are compared with its counter. Launches are those of the recorded exercises and of all reports in FOLDER. A unit is
compared where it is busy for 5 % of the time or more (below, the counter's own granularity shows), on launches of
10 us or more whose report has the counts that it needs.

The table gives for each unit the launches, the median of predicted / counted, and the share within 10 %; then the
launches outside are named (`--all`: every one of them, else the ten worst of each unit).

Cycles an instruction of a pipe and scheduler = 32 lanes / lanes of the pipe (CUDA programming guide, throughput of
arithmetic instructions; profiling guide, pipelines). On CC 8.6 to 9.0 the FMA pipe has two halves of 16 lanes: integer
products, moves and half instructions take the heavy half alone, the upper or whole 64 bits of a product twice as long,
and the rest goes to the half that is free. The counters show how many cycles of the ADU, CBU, LSU, uniform datapath and
constant cache an instruction takes; those numbers are of the H100 and H200 and are used for CC 9.0 alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import Struct, to_builtins

from advisor.hardware.sass import classify

if TYPE_CHECKING:
    import pandas as pd

Opcodes = Mapping[str, float]
Array = np.ndarray[Any, Any]
LEAST_PCT: Final = 5.0
SHORTEST_NS: Final = 10_000
WITHIN: Final = 0.1
_WORST: Final = 10
# Lanes of each pipe of a scheduler, by compute capability.
LANES: Final = {
    "7.0": {"alu": 16, "fma": 16, "xu": 4, "fp64": 8},
    "7.5": {"alu": 16, "fma": 16, "xu": 4},
    "8.0": {"alu": 16, "fma": 16, "xu": 4, "fp64": 8},
    "8.6": {"alu": 16, "xu": 4},
    "8.9": {"alu": 16, "xu": 4},
    "9.0": {"alu": 16, "xu": 4, "fp64": 16},
}
# FMA pipes of two halves, 16 lanes each.
_HALVES: Final = frozenset(("8.6", "8.9", "9.0"))
_HEAVY: Final = frozenset(("IMAD", "VIADD", "VIADDMNMX", "HFMA2", "HADD2", "HMUL2"))
_DOUBLE: Final = frozenset(("WIDE", "HI"))
# Cycles of a unit of the SM for each instruction of these stems, CC 9.0; first those of a kind of instruction.
SERVICE: Final[dict[str, dict[str, float]]] = {
    "lsu": {"load": 1, "store": 1, "atomic": 1, "copy": 1, "SHFL": 1, "S2R": 0.5, "S2UR": 0.5, "MEMBAR": 2},
    "cbu": {"BSSY": 1, "BSYNC": 1, "CALL": 1, "RET": 1, "WARPSYNC": 1, "EXIT": 0.5},
    "adu": {"LDC": 2, "BAR": 2, "S2R": 1, "S2UR": 1, "MEMBAR": 2},
    "uniform": {"uniform": 0.5},
}
# Data passes of L1 for each access of 32 lanes; one of 128 bits takes more than its four words.
_WORDS: Final = {"64": 2.0, "128": 4.2}
_STORED: Final = {"64": 2.0, "128": 4.6}


class Ratio(Struct, frozen=True):
    """Busy cycles of a unit on a launch: predicted over counted, and the counter in % of the time."""

    unit: str
    launch: str
    cc: str
    counted_pct: float
    ratio: float

    @property
    def holds(self) -> bool:
        """Whether the two agree within 10 %."""
        return abs(self.ratio - 1) <= WITHIN


def _stem(opcode: str) -> str:
    return opcode.partition(".")[0]


def of_pipe(opcodes: Opcodes, pipe: str, cc: str) -> float:
    """Return the executed instructions of a pipe."""
    return sum(count for opcode, count in opcodes.items() if classify(opcode, cc).pipe == pipe)


def fma_cycles(opcodes: Opcodes, cc: str) -> float:
    """Return the cycles of the fuller half of the FMA pipe, summed over schedulers; of the one pipe before CC 8.6."""
    heavy = light = 0.0
    for opcode, count in opcodes.items():
        if classify(opcode, cc).pipe == "fma":
            if _stem(opcode) in _HEAVY:
                heavy += count * (4 if _DOUBLE.intersection(opcode.split(".")) and _stem(opcode) == "IMAD" else 2)
            else:
                light += 2 * count
    return max(heavy, (heavy + light) / 2) if cc in _HALVES else heavy + light


def served(opcodes: Opcodes, unit: str, cc: str) -> float:
    """Return the cycles of a unit of SERVICE for the executed instructions."""
    costs, total = SERVICE[unit], 0.0
    for opcode, count in opcodes.items():
        one, stem = classify(opcode, cc), _stem(opcode)
        kind = one.access if unit == "lsu" and one.pipe == "lsu" and one.space != "constant" else ""
        kind = "uniform" if unit == "uniform" and one.pipe == "uniform" and stem not in ("ULDC", "ULDC64") else kind
        total += count * costs.get(stem, costs.get(kind, 0.0))
    return total


def counted(opcodes: Opcodes, stems: Iterable[str], widths: Mapping[str, float] | None = None) -> float:
    """Return the executed instructions of some stems, each times the number for its width, if widths are given."""
    chosen, each = frozenset(stems), widths or {}
    return sum(
        count * max(each.get(part, 1.0) for part in opcode.split("."))
        for opcode, count in opcodes.items()
        if _stem(opcode) in chosen
    )


def passes(row: Mapping[str, Any]) -> float:
    """Return the L1 data passes of a launch: bank passes of shared memory, words or lines of the others.

    Lanes that leave most of each line alone take a pass a line; a line more at the end of a misaligned row takes none.
    A shuffle takes a pass, a special register half of one, a fence five. Shared accesses of warps without an active
    lane take one too, which the counts of the source leave out.
    """
    opcodes = row["opcodes"]
    wavefronts = row["shared_wavefronts"]
    total = max(wavefronts if np.isfinite(wavefronts) else 0.0, counted(opcodes, ("LDS", "STS", "ATOMS")))
    total += counted(opcodes, ("SHFL",)) + 5 * counted(opcodes, ("MEMBAR",)) + counted(opcodes, ("S2R", "S2UR")) / 2
    total += counted(opcodes, ("LDL",), _WORDS) + counted(opcodes, ("STL",), _STORED)
    for kind, stems, widths in (("load", ("LDG", "LDGSTS", "LD"), _WORDS), ("store", ("STG", "ST"), _STORED)):
        lines, least = row[f"{kind}_lines"], row[f"{kind}_lines_ideal"]
        scattered = lines if lines >= 2 * least else 0.0
        total += max(counted(opcodes, stems, widths), scattered)
    return total


def predicted(row: Mapping[str, Any]) -> dict[str, tuple[str, float]]:
    """Return unit -> (metric of its counter in % of the time, predicted busy cycles an SM, as a share of the time)."""
    opcodes, cc = row["opcodes"], str(row["cc"])
    elapsed = row["sm_cycles_elapsed"] * row["sm_count"]
    schedulers = elapsed * row["device_schedulers_per_sm"]
    out: dict[str, tuple[str, float]] = {
        "DRAM": (
            "dram_pct",
            row["dram_bytes"] / (row["dram_peak_bytes_per_s"] * row["duration_ns"] * 1e-9),
        ),
        "issue": ("issue_pct", row["inst_executed"] / schedulers),
    }
    if isinstance(opcodes, Mapping) and opcodes:
        for pipe, lanes in LANES.get(cc, {}).items():
            cycles = fma_cycles(opcodes, cc) if pipe == "fma" else of_pipe(opcodes, pipe, cc) * 32 / lanes
            out[pipe] = (f"pipe_{pipe}_pct", cycles / schedulers)
        if cc in _HALVES:
            out["fma"] = ("pipe_fma_pct", fma_cycles(opcodes, cc) / schedulers)
        if cc == "9.0":
            out |= {unit: (f"{unit}_pct", served(opcodes, unit, cc) / elapsed) for unit in SERVICE}
            # Lanes with different addresses take a request each.
            again = max(0.0, row["idc_requests"] - counted(opcodes, ("LDC",)))
            out["adu"] = ("adu_pct", (served(opcodes, "adu", cc) + 2 * again) / elapsed)
            out["constants"] = ("idc_pct", 2 * row["idc_requests"] / elapsed)
            out["L1 passes"] = ("l1_wavefronts_pct", passes(row) / elapsed)
    return out


def ratios(frame: pd.DataFrame, columns: Mapping[str, Array], names: Sequence[str]) -> list[Ratio]:
    """Return all comparisons. frame: of the readers; columns: its derived metrics by name."""
    out = []
    wanted = (
        *("sm_cycles_elapsed", "sm_count", "device_schedulers_per_sm", "dram_bytes", "dram_peak_bytes_per_s"),
        *("duration_ns", "inst_executed", "idc_requests", "shared_wavefronts"),
        *(f"{kind}_lines{least}" for kind in ("load", "store") for least in ("", "_ideal")),
    )
    unknown = np.full(len(frame), np.nan)
    chosen = {name: columns.get(name, unknown) for name in wanted}
    for at, (opcodes, cc) in enumerate(zip(frame["opcodes"], frame["cc"], strict=True)):
        row = {name: float(column[at]) for name, column in chosen.items()} | {"opcodes": opcodes, "cc": cc}
        if not row["duration_ns"] >= SHORTEST_NS:
            continue
        for unit, (metric, share) in predicted(row).items():
            counted = float(columns.get(metric, unknown)[at])
            if np.isfinite(share) and counted >= LEAST_PCT:
                out.append(Ratio(unit, names[at], str(cc), counted, 100 * share / counted))
    return out


def of_exercises() -> list[Ratio]:
    """Return the comparisons of all recorded exercises."""
    from advisor.practice import selfcheck
    from advisor.practice.manifest import exercise, names

    from .calibration import analysed

    analysis, _ = analysed()
    recorded = [name for name in names() if selfcheck.of_recording(exercise(name)) is not None]
    titles = dict(enumerate(recorded))
    frame = analysis.inputs.frame
    return ratios(
        frame,
        analysis._reasoned.observed.columns,
        [
            f"{titles[int(r)]} [{i}] {k}"
            for r, i, k in zip(frame["report"], frame["index"], frame["kernel"], strict=True)
        ],
    )


def of_folder(folder: Path) -> list[Ratio]:
    """Return the comparisons of all reports in a folder that can be read; equal files count once."""
    from advisor.knowledge.base import catalog
    from advisor.readers.read import read_many
    from advisor.reasoning.analysis import Analysis
    from advisor.reasoning.inputs import Inputs

    files = sorted(p for p in folder.rglob("*") if p.name.endswith((".ncu-rep", ".ncu-rep.xz")))
    frame, infos = read_many(files, jobs=2)
    known = {info.sha256: at for at, info in reversed(list(enumerate(infos)))}
    frame = frame[[known[infos[int(r)].sha256] == int(r) for r in frame["report"]]].reset_index(drop=True)
    analysis = Analysis(catalog(), Inputs(frame, infos, None, {}))
    titles = [Path(info.path).name for info in infos]
    return ratios(
        frame,
        analysis._reasoned.observed.columns,
        [f"{titles[int(r)]} [{i}]" for r, i in zip(frame["report"], frame["index"], strict=True)],
    )


def lines(found: Sequence[Ratio], every: bool) -> list[str]:
    """Return the table and the launches outside 10 % as text."""
    out = [f"{'unit':12} {'launches':>8} {'median':>7} {'within 10 %':>12}"]
    units = dict.fromkeys(one.unit for one in found)
    chosen: list[tuple[str, Callable[[Ratio], bool]]] = [(u, lambda r, u=u: r.unit == u) for u in units]  # type: ignore[misc]
    for title, belongs in (*chosen, ("all", lambda _: True)):
        some = [one for one in found if belongs(one)]
        held = sum(one.holds for one in some)
        middle = float(np.median([one.ratio for one in some]))
        out.append(f"{title:12} {len(some):8} {middle:7.3f} {held:5} {held / len(some):6.0%}")
    out.append("\nPredicted / counted outside 10 %:")
    for unit in units:
        missed = sorted(
            (r for r in found if r.unit == unit and not r.holds), key=lambda r: -abs(np.log(r.ratio + 1e-9))
        )
        shown = missed if every else missed[:_WORST]
        out += [f"  {unit:10} {r.ratio:6.2f} of {r.counted_pct:5.1f} %  CC {r.cc}  {r.launch}" for r in shown]
        if len(missed) > len(shown):
            out.append(f"  {unit:10} and {len(missed) - len(shown)} more")
    return out


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="busy", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="other reports")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--all", action="store_true", help="name every launch outside 10 %%")
    given = parser.parse_args()
    groups = {"exercises": of_exercises()}
    if given.folder is not None:
        groups["other people's reports"] = of_folder(given.folder)
    if given.json:
        print(json.dumps({title: to_builtins(found) for title, found in groups.items()}))
        return 0
    for title, found in groups.items():
        print(title, *lines(found, given.all), "", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
