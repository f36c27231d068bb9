"""Topics: how events, exceptions, breaks and a run's own story are sent and read.

`names` says what topics are called, `murmur2` which partition a key belongs to, `cloudevents` how
an event becomes a record and back, and `files` keeps topics as JSON-lines files.
"""
