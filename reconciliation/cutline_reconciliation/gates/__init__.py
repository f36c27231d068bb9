"""The gates: the conditions of a policy on the counts of a run, and the decision GO or NO-GO."""
