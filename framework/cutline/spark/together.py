"""Independent pieces of Spark work side by side, so that one is planned while another runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_AT_ONCE = 4
_T = TypeVar("_T")
_A = TypeVar("_A")
_B = TypeVar("_B")


def side_by_side(
    spark: SparkSession, first: Callable[[], _A], second: Callable[[], _B]
) -> tuple[_A, _B]:
    """As `together`, for two pieces of work that return different things."""
    work: list[Callable[[], Any]] = [first, second]
    one, two = together(spark, work)
    return cast(_A, one), cast(_B, two)


def together(spark: SparkSession, work: Sequence[Callable[[], _T]]) -> list[_T]:
    """What each piece of work returns, in the order given; up to four are under way at once.

    Each may plan, run and write, but must leave no temporary view: views are the session's. All
    come to an end; then the error of the first one that failed, in the order given, is raised.
    """
    from pyspark import inheritable_thread_target

    jvm = spark._jvm
    assert jvm is not None

    def begin() -> None:
        jvm.org.apache.spark.sql.SparkSession.setActiveSession(spark._jsparkSession)

    with ThreadPoolExecutor(_AT_ONCE, "cutline", initializer=begin) as pool:
        inherit = inheritable_thread_target(spark)
        futures = [pool.submit(inherit(piece)) for piece in work]
    return [future.result() for future in futures]
