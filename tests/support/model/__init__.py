"""A small exact model of a database and its log, oracles over it, and the judge of the engine."""
