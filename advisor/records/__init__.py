"""Data classes shared by all packages, errors, files, and quantities with units."""
