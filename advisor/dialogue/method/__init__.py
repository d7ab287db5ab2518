"""The steps of the method: where a session stands, and what each step says of the launch at hand."""
