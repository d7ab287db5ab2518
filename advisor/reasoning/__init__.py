"""Diagnose a frame of metrics: observations, rules, time model, ranking."""
