"""The steps of the method and the session's data for each."""
