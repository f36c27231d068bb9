"""The tables of a run for people: masked, as DataFrames or as a few readable rows."""
