"""Reconsuming: a consumer group of Kafka that reads a part of a topic once more.

`planning` says from where, and counts what would be delivered again; `moving` moves the idle group
there, follows it, and puts it back; `shelf` keeps where it stood before, until that is over.
"""
