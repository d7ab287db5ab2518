"""Chains rules on names and explains the result. The only package that imports experta."""
