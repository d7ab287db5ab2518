"""Versions of a kernel within a session, and their comparison."""
