"""How exact the gains of fixes are, by family of causes: `python -m tests.bench.families [FOLDER] [--json] [--all]`.

The pairs are those of tests/bench/calibration.py: steps of exercises with a recorded report before and a measured time
before and after the fix; `--all` adds the steps that do more or less than the fix. FOLDER adds pairs in other people's
reports (tests/data/strangers.yaml), where the finding that the authors name was found with a gain.

The error is |ln(told / measured)|. Skill is the median error over the median |ln measured|: 1 for a model that always
foretells 1, 0 for a perfect one. No coefficient of an operator is fitted to a pair, so nothing is left out for those.
The one constant that the pairs do decide is the width of the range (`accuracy.of_fix`): for each family, `apart` is the
share inside if that constant is chosen on all other families, as the smallest that holds nine of ten of their pairs.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import yaml
from msgspec import Struct, to_builtins

from advisor.knowledge.time_model import time_model

from . import calibration, strangers

FAMILIES: Final = {
    "global accesses": ("uncoalesced_access", "narrow_accesses", "strong_loads", "uniform_global_loads"),
    "traffic": ("excess_traffic", "poor_cache_reuse", "remote_memory_traffic", "bulk_copy_too_small"),
    "shared memory": ("bank_conflicts", "lsu_saturation", "cluster_shared_traffic", "shared_atomic_contention"),
    "local memory": ("register_spilling", "local_memory_arrays"),
    "latency": (
        "memory_latency",
        "instruction_latency",
        "exposed_waits",
        "barrier_stalls",
        "fence_stalls",
        "instruction_cache_misses",
    ),
    "occupancy": ("low_occupancy_block_size", "low_occupancy_registers", "low_occupancy_shared_memory"),
    "grid": (
        "grid_too_small",
        "tail_effect",
        "workload_imbalance",
        "block_launch_rate",
        "overlaunched_grid",
        "partial_warps",
        "launch_overhead",
    ),
    "instructions": (
        "branch_divergence",
        "call_overhead",
        "constant_serialization",
        "integer_overhead",
        "redundant_compute",
        "unfused_multiply_add",
    ),
    "precision": (
        "conversions_saturate",
        "fp64_unintended",
        "legacy_mma",
        "sfu_saturation",
        "slow_math",
        "tensor_cores_unused",
    ),
    "atomics": ("atomic_contention", "spin_lock"),
}
OTHERS: Final = "others"
_HELD: Final = 0.9


class Told(Struct, frozen=True):
    """One fix: gains told, with their range, and measured; old time over new time."""

    name: str
    finding: str
    measured: float
    told: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """|ln(told / measured)|."""
        return abs(math.log(self.told / self.measured))

    @property
    def exponent(self) -> float:
        """The share of ln(told) by which the measured gain is off: what the range must allow to hold it."""
        return self.error / max(math.log(self.told), 0.05)


class Score(Struct, frozen=True):
    """The figures of a family. median, ninetieth: of the error; width: median of high / low."""

    pairs: int
    median: float
    ninetieth: float
    bias: float
    inside: float
    width: float
    skill: float
    apart: float | None = None


def family_of(finding: str) -> str:
    """Return the family of a diagnosis."""
    return next((name for name, members in FAMILIES.items() if finding in members), OTHERS)


def of_exercises(every: bool = False) -> list[Told]:
    """Return the pairs of the recorded exercises; a finding without a gain foretells 1."""
    analysis, judged = calibration.analysed()
    return [
        Told(f"{p.exercise}: {p.step} > {p.by}", p.finding, p.measured, p.predicted, p.low or 1.0, p.high or 1.0)
        for p in calibration.pairs(analysis, judged)
        if every or not p.but
    ]


def of_strangers(folder: Path) -> list[Told]:
    """Return the pairs in other people's reports of a folder: those where an accepted finding has a gain."""
    from advisor import diagnose

    entries = [e for e in yaml.safe_load(strangers.TRUTH.read_text(encoding="utf-8")) if e.get("gain")]
    out = []
    for file in dict.fromkeys(e["file"] for e in entries):
        wanted = [e for e in entries if e["file"] == file]
        path = folder / file
        if not path.is_file() or strangers.digest_of(path) != wanted[0]["digest"]:
            continue
        launches = {launch.index: launch for launch in diagnose(path).launches}
        for entry in wanted:
            launch = launches.get(entry.get("launch"))
            found = strangers.findings_of(launch) if launch is not None else ()
            one = next((f for f in found if f.id in entry["accepted"] and f.speedup is not None), None)
            if one is not None and one.speedup is not None:
                gain = one.speedup
                name = f"{Path(file).name} [{entry['launch']}]"
                out.append(Told(name, one.id, entry["gain"], gain.estimate, gain.low, gain.high))
    return out


def score(pairs: Sequence[Told], others: Sequence[Told] = ()) -> Score:
    """Return the figures of some pairs, at least one; others: those of all other families."""
    errors = np.array([p.error for p in pairs])
    gains = np.array([abs(math.log(p.measured)) for p in pairs])
    apart = None
    if others:
        share = float(np.quantile([p.exponent for p in others], _HELD))
        apart = sum(p.low <= p.measured <= p.high or p.exponent <= share for p in pairs) / len(pairs)
    return Score(
        len(pairs),
        float(np.median(errors)),
        float(np.percentile(errors, 90)),
        float(np.mean([math.log(p.told / p.measured) for p in pairs])),
        sum(p.low <= p.measured <= p.high for p in pairs) / len(pairs),
        float(np.median([p.high / p.low for p in pairs])),
        float(np.median(errors) / np.median(gains)),
        apart,
    )


def table(pairs: Sequence[Told]) -> dict[str, Score]:
    """Return the figures of each family, the one with the largest error first, and of all."""
    groups: dict[str, list[Told]] = {}
    for pair in pairs:
        groups.setdefault(family_of(pair.finding), []).append(pair)
    order = sorted(groups, key=lambda name: -float(np.median([p.error for p in groups[name]])))
    out = {name: score(groups[name], [p for p in pairs if family_of(p.finding) != name]) for name in order}
    return out | {"all": score(pairs)}


def lines(scores: dict[str, Score]) -> list[str]:
    """Return the table as text."""
    heads = f"{'pairs':>6} {'median':>7} {'90th':>7} {'bias':>7} {'inside':>7} {'width':>6} {'skill':>6} {'apart':>6}"
    out = [f"{'':18} {heads}"]
    for name, s in scores.items():
        apart = f"{s.apart:6.0%}" if s.apart is not None else f"{'-':>6}"
        numbers = f"{s.pairs:6} {s.median:7.3f} {s.ninetieth:7.3f} {s.bias:+7.3f} {s.inside:7.0%} {s.width:6.2f}"
        out.append(f"{name:18} {numbers} {s.skill:6.2f} {apart}")
    return out


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="families", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="where the files of strangers.yaml are")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--all", action="store_true", help="with the steps that do more or less than the fix")
    given = parser.parse_args()
    groups = {"exercises": of_exercises(given.all)}
    if given.folder is not None:
        groups["other people's reports"] = of_strangers(given.folder)
    if given.json:
        print(json.dumps({k: {"pairs": to_builtins(v), "scores": to_builtins(table(v))} for k, v in groups.items()}))
        return 0
    for title, pairs in groups.items():
        if pairs:
            print(title, *lines(table(pairs)), "", sep="\n")
    print(f"accuracy.of_fix of the model: {time_model().accuracy.of_fix}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
