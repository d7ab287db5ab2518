"""Explanations of any word of the knowledge base: diagnoses, metrics, stalls, opcodes, GPUs, steps."""
