"""Questions and answers: what is expected before the reveal, which number comes next, and what contradicts what."""
