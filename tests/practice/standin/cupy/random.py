"""cupy.random.default_rng, with NumPy's generator."""

from __future__ import annotations

from numpy.random import Generator, default_rng

__all__ = ["Generator", "default_rng"]
