"""The stages of a run that the framework performs: they read, call the engine, and write."""
