"""Sessions as files: what the user did and what was concluded, line by line, saved, played again and checked."""
