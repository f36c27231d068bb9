"""Independent pieces of Spark work side by side, so that one is planned while another runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cutline.spark.session import make_active

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_AT_ONCE = 4
_PATIENCE = 0.2
"""Seconds between two looks at whether what was interrupted has ended."""
_T = TypeVar("_T")
_A = TypeVar("_A")
_B = TypeVar("_B")


def side_by_side(
    spark: SparkSession, first: Callable[[], _A], second: Callable[[], _B]
) -> tuple[_A, _B]:
    """As `run_parallel`, for two pieces of work that return different things."""
    work: list[Callable[[], Any]] = [first, second]
    first_result, second_result = run_parallel(spark, work)
    return cast(_A, first_result), cast(_B, second_result)


def run_parallel(spark: SparkSession, work: Sequence[Callable[[], _T]]) -> list[_T]:
    """What each piece of work returns, in the order given; up to four are under way at once.

    Each may plan, run and write, but must leave no temporary view: views are the session's. All
    come to an end; then the error of the first one that failed, in the order given, is raised. An
    interrupt stops the jobs that run and is raised when nothing is under way any more: what follows
    may give the slice to another process.
    """
    from pyspark import inheritable_thread_target

    inherit = inheritable_thread_target(spark)
    with ThreadPoolExecutor(_AT_ONCE, "cutline", initializer=partial(make_active, spark)) as pool:
        futures = [pool.submit(inherit(piece)) for piece in work]
        try:
            wait(futures)
        except BaseException:
            for future in futures:
                future.cancel()
            while wait(futures, timeout=_PATIENCE).not_done:
                spark.sparkContext.cancelAllJobs()
            raise
    return [future.result() for future in futures]
