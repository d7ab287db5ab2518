"""Exercises with kernels that are slow for a known reason; the learner runs, profiles, fixes and compares them."""
