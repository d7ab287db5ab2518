"""`ncu-advisor practice`: one module for reading and answering, one for what needs a GPU, one for authors."""
