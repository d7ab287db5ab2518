"""Cures of the kernels of lanterns.cu by authors who followed the advice; all else is the round's."""

from __future__ import annotations

import seventeenth_ours
from pair import SMS, follow, i32

CASES = follow(
    seventeenth_ours.CASES,
    "lanterns",
    {
        "tyre_treads": lambda t, pair: {},
        "turnstile_fares": lambda t, pair: {"grid": t.size(SMS * 2, 2), "block": 1024},
        # a ring of as many samples as the lag
        "geyser_tremor": lambda t, pair: {"shared": int(pair.slow.args[3]) * 128 * 4},
        "finger_matches": lambda t, pair: {"block": 512},
        "dam_levels": lambda t, pair: {},
        "thermistor_lags": lambda t, pair: {},
        "hide_grades": lambda t, pair: {},
        # 128 by 128 outputs of a block, where the slow kernel has 32 by 8
        "dye_mixes": lambda t, pair: {"grid": (pair.slow.grid[0] // 4, pair.slow.grid[1] // 16)},
        "swim_strokes": lambda t, pair: {
            "grid": t.size(SMS * 16, 4),
            "args": (*pair.slow.args, i32(pair.slow.grid[0])),
        },
        "pan_salts": lambda t, pair: {},
    },
)
