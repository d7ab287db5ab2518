"""One screen a file: the list of launches, the conversation about one, help."""
