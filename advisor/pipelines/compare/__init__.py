"""Before and after: two analyses in, matched kernels with what changed and what to do next out."""
