"""Derived metrics: column formulas on the frame."""
