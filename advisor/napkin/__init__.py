"""Paper and pencil before a profile: GPUs, algorithms, roofline, occupancy, numbers as people type them."""
