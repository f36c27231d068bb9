"""The stages of a run that goes on from another: they read what is new, and write deltas.

Each is done whole instead where the stage before it was, or where what is new cannot be understood
by itself; the result is the same.
"""
