"""The exercises: kernels that are slow for a known reason, to run, profile, fix and compare."""
