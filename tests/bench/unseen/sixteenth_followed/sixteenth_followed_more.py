"""Cures of the kernels of turbines.cu by authors who followed the advice; all else is the round's."""

from __future__ import annotations

import sixteenth_more
from pair import SMS, follow

CASES = follow(
    sixteenth_more.CASES,
    "turbines",
    {
        "magma_basis": lambda t, pair: {},
        "fibre_pulses": lambda t, pair: {},
        "penguin_crowding": lambda t, pair: {},
        # three blocks fit an SM
        "kelp_clusters": lambda t, pair: {"grid": t.size(SMS * 3, 2)},
        "parcel_scans": lambda t, pair: {},
        "luggage_smooth": lambda t, pair: {},
        "ion_channels": lambda t, pair: {},
        "advert_filter": lambda t, pair: {"grid": t.size(SMS * 2, 2), "block": 1024},
        "pollen_counts": lambda t, pair: {"grid": len(pair.slow.args[0]) // 2048, "block": 256},
        "harbour_elements": lambda t, pair: {"grid": pair.slow.grid[0] // 4, "block": 128},
    },
)
