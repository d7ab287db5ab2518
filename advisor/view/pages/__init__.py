"""Pages of blocks, one builder for each kind of result."""
