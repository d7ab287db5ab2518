"""Cures of the kernels of wardrobes.cu by authors who followed the advice; all else is the round's."""

from __future__ import annotations

import sixteenth_ours
from pair import follow

CASES = follow(
    sixteenth_ours.CASES,
    "wardrobes",
    {
        "loom_faults": lambda t, pair: {},
        "honey_pollen": lambda t, pair: {},
        "tunnel_settlement": lambda t, pair: {},
        "meteor_streaks": lambda t, pair: {},
        "best_efforts": lambda t, pair: {},
        "bird_speeds": lambda t, pair: {},
        "tax_check_digits": lambda t, pair: {},
        "bell_swings": lambda t, pair: {"kernel": "bell_swings", "grid": pair.slow.args[1].size // 256, "block": 256},
        "clothes_spare": lambda t, pair: {},
        "sail_speeds": lambda t, pair: {},
    },
)
