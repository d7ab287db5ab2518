"""What the user types, understood without a language model: commands, phrases, names, numbers, completion."""
