"""The questions asked if numbers are typed instead of read from a report."""
