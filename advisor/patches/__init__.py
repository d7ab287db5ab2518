"""Patches of a kernel's source, each proven by emulation: compiled, executed, results compared, counters compared."""
