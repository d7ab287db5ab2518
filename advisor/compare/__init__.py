"""Compare two diagnoses: durations, findings, settings, thresholds."""
