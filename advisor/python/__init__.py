"""`advise` for Python functions, blocks and notebook cells that launch kernels."""
