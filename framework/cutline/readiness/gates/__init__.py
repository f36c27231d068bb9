"""The gates, a file for each."""
