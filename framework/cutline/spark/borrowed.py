"""A Spark session that somebody else started: what it must have, and how it is used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.project.spark_settings import REQUIRED, is_required
from cutline.spark.session import active_of_thread, forget_active, make_active, running_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def borrowed(spark: SparkSession) -> Iterator[None]:
    """Let `session()` return this session meanwhile, in this thread; nothing of it is changed.

    ConfigurationError, naming each setting, if it lacks what Cutline needs.
    """
    check_session(spark)
    before, active_before = active_of_thread(), running_session()
    make_active(spark)
    try:
        yield
    finally:
        if active_before is not None:
            make_active(active_before)
        if before is None:
            forget_active()


def check_running_session() -> SparkSession | None:
    """The session that `session()` would return without starting one, after `check_session`.

    A notebook or a service may have started it with other settings than Cutline does.
    """
    if "pyspark.sql" not in sys.modules or (running := running_session()) is None:
        return None
    check_session(running)
    return running


def check_session(spark: SparkSession) -> None:
    """ConfigurationError if the session is stopped, has no JVM in reach, or has other settings.

    One error names every setting with its value, and says how each is set.
    """
    from pyspark.sql import SparkSession

    if not isinstance(spark, SparkSession) or getattr(spark, "_jvm", None) is None:
        raise ConfigurationError(
            f"spark: {type(spark).__module__}.{type(spark).__name__} is no session beside its JVM.",
            next_step="Give a session of pyspark.sql.SparkSession.builder without .remote(…), or "
            "none: then Cutline starts its own.",
        )
    if spark.sparkContext._jsc is None:
        raise ConfigurationError(
            "spark: the session is stopped.", next_step="Give one that runs, or none."
        )
    differing = {
        key: value for key in REQUIRED if not is_required(key, value := str(spark.conf.get(key)))
    }
    if differing:
        raise ConfigurationError(
            "\n".join(
                f"spark: {key} is {value}, and must be {REQUIRED[key][0]}."
                for key, value in differing.items()
            ),
            next_step="Set it before: "
            + "; ".join(f'spark.conf.set("{key}", "{REQUIRED[key][0]}")' for key in differing),
        )
