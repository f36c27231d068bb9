"""Memory of the driver, or of a local master's one process, that does not suffice."""

from __future__ import annotations

import re

from cutline.spark.causes.cause import SparkCause
from cutline.spark.causes.setup import SparkSetup

_BROADCAST = re.compile(
    r"Not enough memory to build and broadcast|Cannot broadcast the table that is larger than"
)
_RESULT = re.compile(
    r"serialized results of (\d+) tasks \(([^)]*)\) is bigger than (?:local maxResultSize|"
    r"spark\.driver\.maxResultSize) \(?([\d.]+ \w+)"
)
_HEAP = re.compile(
    r"OutOfMemoryError(?!.*unable to create native thread)|UNABLE_TO_ACQUIRE_MEMORY|"
    r"Cannot reserve additional contiguous bytes|GC overhead limit exceeded|Java heap space"
)
_THREADS = re.compile(r"unable to create native thread")
_TOO_LITTLE = re.compile(r"Insufficient driver memory: System memory (\d+) must be at least (\d+)")


def heap_cause(text: str, setup: SparkSetup) -> SparkCause | None:
    """What did not fit into memory, and how much to give."""
    if _TOO_LITTLE.search(text):
        return SparkCause(
            f"Spark does not start with a heap of {setup.memory}: it needs 512m at least",
            "Set spark.memory: 2g in cutline.yaml, or leave it out.",
            is_setting=True,
        )
    if _THREADS.search(text):
        return SparkCause(
            "the system lets Java start no further thread",
            "Raise the limit of processes of this user or container (ulimit -u, pids.max).",
        )
    if _BROADCAST.search(text):
        return SparkCause(
            "a table that every task needs does not fit into Spark's memory",
            setup.more_memory(),
        )
    if match := _RESULT.search(text):
        return SparkCause(
            f"the results of {match[1]} tasks ({match[2]}) are more than the driver takes at once "
            f"({match[3]})",
            f"{setup.more_memory()} The limit is spark.driver.maxResultSize under spark.conf.",
        )
    if _HEAP.search(text):
        return SparkCause("Spark has run out of memory", setup.more_memory())
    return None
