"""Where in the code: hot lines and instructions, loops, the load behind a wait, from what a report knows of each."""
