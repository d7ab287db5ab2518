"""Scripts that print measured figures; none of them is part of the test run."""
