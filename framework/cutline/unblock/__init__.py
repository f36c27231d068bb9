"""Consumer groups that stand still: which record blocks a partition, and how it is set aside.

`blocked` finds the partitions that do not move and the records they stand before, `parking` sets
one of them aside.
"""
