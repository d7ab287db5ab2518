"""Rank the kernels of many reports by the time that a fix would save."""
