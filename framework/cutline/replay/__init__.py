"""Replays: what a topic or an archive holds, sent again, evolved, to a topic of its own.

`performing` goes the way: `frozen` says what is read and up to where, `shelf` remembers it,
`archive` and `raw` read it in Spark's tasks, `events` and `upcasting` make events of the newest
version of it, `sending` puts them on the destination and reads them back. `destination` says where
nothing may be replayed to.
"""
