"""What a question of an interview can change: candidate answers, their outcomes, and what open rules lack."""
