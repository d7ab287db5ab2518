"""Checks of the knowledge base against itself, the grammar, the time model and the engine."""
