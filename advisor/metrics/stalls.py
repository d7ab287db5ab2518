"""Stall reasons: their share of the samples in which nothing was issued, and which of them leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
# Reasons of every architecture from CC 7.0 on.
COMMON = (
    *("barrier", "branch_resolving", "dispatch_stall", "drain", "lg_throttle", "long_scoreboard"),
    *("math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected"),
    *("short_scoreboard", "sleeping", "tex_throttle", "wait"),
)
# Only on some: up to CC 9.0, and on CC 9.0, where the samples say warpgroup_arrive for what the counters call gmma.
SOME = ("imc_miss", "gmma", "warpgroup_arrive")
REASONS = COMMON + SOME


def not_issued(columns: Mapping[str, Array]) -> dict[str, Array]:
    """`stall_<reason>_not_issued_pct`: unknown where a reason that the architecture has was not sampled."""
    samples = {reason: columns[f"samples_{reason}_not_issued"] for reason in REASONS}
    major = columns["device_cc_major"]
    known = np.isfinite(np.array([samples[reason] for reason in COMMON])).all(axis=0)
    known &= np.isfinite(samples["imc_miss"]) | (major > 9)
    known &= np.isfinite(samples["warpgroup_arrive"]) | (major < 9) | (major > 9)
    total = np.nansum(np.array([samples[reason] for reason in REASONS]), axis=0)
    out = {}
    for reason, number in samples.items():
        share = 100 * number / np.where(total > 0, total, np.nan)
        out[f"stall_{reason}_not_issued_pct"] = np.where(known, share, np.nan)
    gmma, arrive = (out[f"stall_{reason}_not_issued_pct"] for reason in ("gmma", "warpgroup_arrive"))
    out["stall_gmma_not_issued_pct"] = np.where(np.isfinite(gmma), gmma, arrive)
    return out


def leader(columns: Mapping[str, Array]) -> Array:
    """The reason, without `selected`, that takes most of a warp's time; '' where an unknown one could take more."""
    reasons = [reason for reason in REASONS if reason != "selected"]
    cycles = np.array([columns[f"stall_{reason}"] for reason in reasons])
    filled = np.where(np.isfinite(cycles), cycles, -1.0)
    first = filled.argmax(axis=0)
    largest = filled.max(axis=0)
    known = np.nansum(cycles, axis=0) + np.nan_to_num(columns["stall_selected"], nan=1.0)
    # Rounding of printed numbers aside, what is not known cannot exceed what the interval leaves.
    rest = columns["issue_interval"] - known - 0.02 * columns["issue_interval"]
    certain = (largest > 0) & ((rest <= largest) | np.isfinite(cycles[: len(COMMON) - 1]).all(axis=0))
    return np.where(certain, np.array(reasons, dtype=object)[first], "")
