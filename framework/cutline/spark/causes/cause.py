"""The cause of a failure in Spark, for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cutline.spark.causes.setup import SparkSetup


@dataclass(frozen=True)
class SparkCause:
    """What happened in one sentence without a full stop, and what to do about it.

    `is_setting` is true where something is written or installed wrong, so that nothing was started.
    """

    sentence: str
    next_step: str
    is_setting: bool = False


Recogniser = Callable[[str, SparkSetup], SparkCause | None]
"""From the texts of an error (one line or more per exception) to its cause, if it is that."""
