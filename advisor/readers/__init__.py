"""Read ncu reports, CSV, console text, typed-in workloads and ptxas logs into one frame of metrics."""
