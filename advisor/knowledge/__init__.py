"""Load knowledge/: schemas, errors with file and line, the test grammar, texts and search."""
