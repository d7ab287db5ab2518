"""Data classes, errors, file functions and quantities with units, shared by all packages."""
