"""A policy administration system of the old kind: its contracts, translators and truth."""
