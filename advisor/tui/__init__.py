"""The session in the terminal: a Textual program that shows a session's state and turns keys into events."""
