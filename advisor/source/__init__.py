"""Hot lines and instructions, loops, and the load behind a wait, from the counters of each instruction."""
