"""Derived columns: from a reader's frame to one with every canonical metric."""

from advisor.metrics.derive import LABELS, check, derive

__all__ = ["LABELS", "check", "derive"]
