"""Questions asked when numbers are typed instead of read from a report."""
