"""One widget a file, each with its own .tcss beside it."""
