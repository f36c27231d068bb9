"""Resends: the history or the state of named subjects, from a run's tables, sent to a topic again.

`choosing` finds the subjects that are asked for, `members` adds the wholes that must come before
them and leaves out who is held, `records` makes what is sent, `performing` sends it, as a replay
is sent, and reads it back.
"""
