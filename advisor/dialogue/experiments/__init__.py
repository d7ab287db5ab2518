"""Versions of the code side by side, their log, and the whole program that they are part of."""
