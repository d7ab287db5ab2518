"""Charts: rows of data first, drawn as text or SVG by whoever shows them."""
