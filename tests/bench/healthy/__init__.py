"""Kernels of well-kept libraries, one or more of each kind: none of them should be shown a cause that is no cause."""
