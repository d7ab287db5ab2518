"""Answers to plain questions about a launch, by what is asked."""
