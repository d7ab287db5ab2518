"""Exercises in a session: their stages as pages, choices and handlers."""
