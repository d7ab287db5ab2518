"""Find hot lines and instructions, loops, and the load that causes a wait, from per-instruction counters."""
