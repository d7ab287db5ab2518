"""Read profiles: ncu reports, CSV, console text, typed workloads and ptxas logs become one frame of metrics."""
