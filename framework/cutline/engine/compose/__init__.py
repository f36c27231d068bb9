"""Composition: from the changes of all parts to the images of a subject, one per commit."""
