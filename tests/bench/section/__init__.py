"""The section that `collect --section-file` writes, beside ncu's full set, on a machine with a GPU."""
