"""Reconciliation: the legacy's truth against the new side, as records, states and decisions.

`cutline_reconciliation.compare` works on any two DataFrames; `cutline_reconciliation.stage` is the
step of a run. Importing this package does not load Spark.
"""
