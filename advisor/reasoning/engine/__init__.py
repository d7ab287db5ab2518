"""Chain rules on names and explain the result. This is the only package that imports experta."""
