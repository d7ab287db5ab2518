"""Pages of blocks and their writers."""
