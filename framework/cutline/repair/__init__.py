"""Repairs: windows of a table that were wrong for a while, computed anew from events and put right.

`performing` goes the way: `windows` and `reading` say what is read and up to where, `computing`
makes rows of events, `state` what must be known of those before, `output` is the table with what is
staged beside it, `checks` decide whether it may change, `swapping` changes and restores it, and
`corrections` tells others instead.
"""
