"""The conversation: events, the state of a session as a reducer over them, what can be said, and what it means."""
