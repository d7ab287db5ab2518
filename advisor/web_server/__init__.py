"""The session in a browser: `ncu-advisor serve`."""
