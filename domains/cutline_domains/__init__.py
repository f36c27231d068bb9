"""Target contexts: their events, aggregates, policies and outcomes."""
