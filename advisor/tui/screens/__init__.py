"""The screens of the program, one per file."""
