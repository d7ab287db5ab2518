"""From a program to reports: what takes its time, which launches to profile, and ncu run on those."""
