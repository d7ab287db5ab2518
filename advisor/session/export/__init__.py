"""A session as a page for others."""
