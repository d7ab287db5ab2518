"""Where in the code: hot lines and instructions, loops, the load behind a wait, from a report's per-instruction data."""
