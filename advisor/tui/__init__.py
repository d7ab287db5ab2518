"""The interactive session: a Textual program that shows the session state and turns key presses into events."""
