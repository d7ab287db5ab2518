"""The steps of the method and what the session knows about each."""
