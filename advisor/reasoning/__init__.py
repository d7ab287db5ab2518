"""From a frame of metrics to a diagnosis: observations, rules, time model, ranking."""
