"""Rehearsals: a bounded share of a history is published beside live traffic, measured, read back,
and removed again, and what was measured is filed as evidence.

`chosen` takes whole subjects out of the lake, `file_topics` and `kafka_topics` are the two kinds of
topics, `checking` reads back what was sent, `way_back` tries the legacy's statements by a denial
(`denying`), `performing` does it all in order.
"""
