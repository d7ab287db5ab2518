"""The documentation site: the knowledge base, the exercises and docs/ as pages that need no network."""
