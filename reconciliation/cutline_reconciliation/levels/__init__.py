"""Record, state and outcome: what a run compares, and the counts that people read."""
