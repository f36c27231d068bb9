"""Coverage: what the rules make of the values and moves that are really there."""
