"""Schemas of payloads, where those who read the topics look for them.

`subjects` says what they are called, `files` and `registered` where they are, `places` which of the
two a project has, and `keeping` holds a context's schemas against them and brings new ones there.
"""
