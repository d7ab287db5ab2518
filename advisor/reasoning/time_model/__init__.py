"""Estimate how much time each unit needs, what a fix changes, and which unit limits next."""
