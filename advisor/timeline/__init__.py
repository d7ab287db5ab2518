"""Traces of Nsight Systems: read them, find patterns by rules, rank kernels, say whether to drill down and how."""
