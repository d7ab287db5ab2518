"""Exercises within the session."""
