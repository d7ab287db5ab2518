"""Text, JSON and charts of what was concluded, shared by the commands and the terminal."""
