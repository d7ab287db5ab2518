"""Time and memory of a triage against the number of reports: `python -m tests.bench.triage`."""
