"""Sweep the parameters of one's own kernel: build, run, check and profile each point, and pick one."""
