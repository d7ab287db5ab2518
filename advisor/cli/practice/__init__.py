"""The practice commands."""
