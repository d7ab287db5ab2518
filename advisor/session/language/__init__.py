"""Parse typed lines: commands, numbers, names and questions."""
