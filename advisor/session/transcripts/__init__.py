"""Record, save and replay sessions as files."""
