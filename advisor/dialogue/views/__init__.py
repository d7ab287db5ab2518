"""What lies over the conversation: opened, left, and what it asks for."""
