"""Pages, which consist of blocks, and their writers."""
