"""One module a command: what it does once its arguments are parsed."""
