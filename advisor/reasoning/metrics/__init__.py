"""Compute derived metrics with column formulas on the frame."""
