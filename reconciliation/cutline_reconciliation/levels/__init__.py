"""The three levels of a run, record, state and outcome: their comparisons, counts and breaks."""
