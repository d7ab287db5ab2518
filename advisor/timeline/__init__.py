"""Analyse traces of Nsight Systems: find patterns by rules, rank kernels, and decide whether to profile one."""
