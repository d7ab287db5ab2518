"""SASS on the CPU: decode a cubin or the code of a report, execute it, and count what Nsight Compute counts."""
