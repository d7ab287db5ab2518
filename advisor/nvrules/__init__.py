"""Rules for the rule engine of Nsight Compute, generated from the knowledge."""
