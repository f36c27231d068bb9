"""Backfills on demand: what others ask for is queued, and served by a process that stays.

`order` is what is asked for, `intake` takes it from files and a topic, `serving` works on it.
"""
