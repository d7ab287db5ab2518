"""A server of the Model Context Protocol: the diagnoses as tools for coding agents, with short, cited answers."""
