"""Small jobs by which the workers of a cluster are asked something before any work."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from cutline.errors import ConfigurationError
from cutline.spark.python_workers import reason_of
from cutline.spark.quiet_log import quiet_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE_KEY = "spark.scheduler.maxRegisteredResourcesWaitingTime"
_PATIENCE = 120.0
"""Seconds in which the first worker must come, where that setting does not say otherwise."""
_LOOK = 0.5
_T = TypeVar("_T")


def ask_workers(spark: SparkSession, question: Callable[[int], _T]) -> list[_T]:
    """The answers of several tasks, spread over the workers that there are.

    `question` is a function defined within another one, so that it goes to the workers by value;
    it is given the number of the task. ConfigurationError if no worker takes the job in time, or
    if it fails.
    """
    from py4j.protocol import Py4JError
    from pyspark import inheritable_thread_target
    from pyspark.errors import PySparkException

    context = spark.sparkContext
    tasks, group = max(2 * context.defaultParallelism, 4), f"cutline-{uuid.uuid4().hex}"

    def answers(numbers: Iterable[int]) -> Iterable[_T]:
        return (question(number) for number in numbers)

    def ask() -> list[_T]:
        context.setJobGroup(group, "Cutline asks the workers of the cluster", True)
        return context.parallelize(range(tasks), tasks).mapPartitions(answers).collect()

    inherit: Callable[[Callable[[], list[_T]]], Callable[[], list[_T]]]
    inherit = inheritable_thread_target(spark)
    with quiet_log(spark), ThreadPoolExecutor(1, "cutline") as pool:
        future = pool.submit(inherit(ask))
        try:
            _wait(spark, future)
            listed: list[_T] = future.result()
            return listed
        except (PySparkException, Py4JError) as error:
            raise ConfigurationError(
                f"spark: the workers of {context.master} cannot work: {reason_of(error)}",
                left_behind="Nothing was started.",
                next_step="Python workers are started as PYSPARK_PYTHON says, by default python3: "
                "set it, before the session starts, to a Python that is on every worker.",
            ) from error
        finally:
            if not future.done():
                context.cancelJobGroup(group)


def _wait(spark: SparkSession, future: Future[Any]) -> None:
    """Until the job ended; ConfigurationError if no worker has come for it in time."""
    patience = _patience(spark)
    until = time.monotonic() + patience
    while not future.done():
        try:
            future.result(timeout=_LOOK)
        except TimeoutError:
            if _workers(spark):
                until = time.monotonic() + patience
            elif time.monotonic() > until:
                raise _nobody_came(spark, patience) from None
        except Exception:
            return


def _workers(spark: SparkSession) -> int:
    jvm_context: Any = spark.sparkContext._jsc.sc()
    return int(jvm_context.getExecutorMemoryStatus().size()) - 1


def _patience(spark: SparkSession) -> float:
    if spark.sparkContext.getConf().get(PATIENCE_KEY) is None:
        return _PATIENCE
    jvm_conf: Any = spark.sparkContext._jsc.sc().conf()
    return float(jvm_conf.getTimeAsMs(PATIENCE_KEY)) / 1000


def _nobody_came(spark: SparkSession, patience: float) -> ConfigurationError:
    conf = spark.sparkContext.getConf()
    show = partial(conf.get)
    return ConfigurationError(
        f"spark: no worker of {spark.sparkContext.master} took the work within {patience:.0f} s",
        left_behind="Nothing was started.",
        next_step="See that it has a worker with free cores and the memory that "
        f"spark.executor.memory asks for ({show('spark.executor.memory', '1g')}), and that "
        f"workers reach this process at {show('spark.driver.host')} (spark.driver.host). Where "
        f"work waits in a queue for longer, say so with {PATIENCE_KEY}.",
    )
