"""The interactive session: a state, events, and a reducer."""
