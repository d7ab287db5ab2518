"""Export a session as a page for other readers."""
