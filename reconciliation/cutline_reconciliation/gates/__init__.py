"""The gates: what the policy demands of the counts, and GO or NO-GO."""
