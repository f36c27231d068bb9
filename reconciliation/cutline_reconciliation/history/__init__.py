"""What reconciliation remembers from run to run: which breaks are new, old, gone or back."""
