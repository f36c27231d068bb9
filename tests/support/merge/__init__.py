"""Candidates for merging, histories of them at random, and what a merge in Python makes of them."""
