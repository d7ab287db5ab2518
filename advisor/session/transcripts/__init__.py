"""Sessions as files: recording, autosave and replay."""
