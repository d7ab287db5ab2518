"""Derived columns: from a reader's frame to one with every canonical metric."""
