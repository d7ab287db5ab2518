"""What the commands and the session ask for: read, observe, conclude, quantify, conclude; and explain."""
