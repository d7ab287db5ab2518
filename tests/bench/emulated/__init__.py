"""Kernels that the emulator has never seen, to be profiled once on a GPU and compared."""
