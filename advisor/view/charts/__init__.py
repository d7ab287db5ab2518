"""Charts as rows of data, which are drawn as text or SVG."""
