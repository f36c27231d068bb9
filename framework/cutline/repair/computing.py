"""Rows of windows, computed from events by a query."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.lake.file_system import file_system
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.repair.request import UNCHANGED
from cutline.repair.windows import Windows
from cutline.replay.events import CONDITION, EXCEPTION, REPLAYED, with_turns
from cutline.spark.no_rows import no_rows
from cutline.spark.value_errors import VALUE_ERRORS
from cutline.sql.standard import without_semicolon
from cutline.wording import first_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WINDOW = "window_start"
"""The column of a query with where the window of a row begins."""
EVENTS = f"{CONDITION}, arrived timestamp, {WINDOW} timestamp, window_end timestamp"
"""What a query sees of an event; `arrived` is the time of its record."""


@dataclass(frozen=True)
class RepairQuery:
    """A query of a repair. `key` is where cutline.yaml has its file, and `path` that file."""

    sql: str
    key: str
    path: str

    @classmethod
    def read(cls, project: LoadedProject, path: str, key: str) -> RepairQuery:
        """That in a file. ConfigurationError where it cannot be read."""
        place = project.path(path)
        try:
            system, local = file_system(place)
            with system.open_input_stream(local) as file:
                text = bytes(file.readall()).decode()
        except FileNotFoundError:
            raise ConfigurationError(
                f"{key}: there is no file {place}",
                left_behind=UNCHANGED,
                next_step="Write the query into it, or mend the path in cutline.yaml.",
            ) from None
        except (OSError, ValueError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or error
            raise ConfigurationError(
                f"{key}: {place} cannot be read: {reason}",
                left_behind=UNCHANGED,
                next_step="Mend the path in cutline.yaml.",
            ) from error
        return cls(without_semicolon(text), key, place)

    def rows(self, spark: SparkSession, inputs: Mapping[str, DataFrame]) -> DataFrame:
        """The query's rows over inputs by the names that it has for them; ConfigurationError for a
        query that is wrong."""
        with _views(spark, inputs) as views:
            named = ", ".join(f"{name} AS (TABLE {view})" for name, view in views.items())
            try:
                return spark.sql(f"WITH {named} SELECT * FROM (\n{self.sql}\n)")  # noqa: S608
            except (AnalysisException, ParseException) as error:
                raise self.refused(first_line(error), inputs) from error

    def remembered(
        self, lake: Lake, rows: DataFrame, name: str, inputs: Mapping[str, DataFrame]
    ) -> DataFrame:
        """The query's rows, kept in the lake under a name; ConfigurationError, with Spark's reason,
        where it fails on a value."""
        try:
            return lake.remember(rows, name, lambda: None)
        except VALUE_ERRORS as error:
            raise self.refused(first_line(error), inputs) from error

    def refused(self, reason: str, inputs: Mapping[str, DataFrame]) -> ConfigurationError:
        """The error for a query that cannot be asked."""
        tables = "; ".join(f"{name}({', '.join(rows.columns)})" for name, rows in inputs.items())
        return ConfigurationError(
            f"{self.key}: the query in {self.path} cannot be asked: {reason}",
            left_behind=UNCHANGED,
            next_step=f"It sees {tables}.",
        )


@contextmanager
def _views(spark: SparkSession, inputs: Mapping[str, DataFrame]) -> Iterator[Mapping[str, str]]:
    """Views of the inputs by names that nobody else has, until the query is analysed."""
    views = {name: f"cutline_{name}_{uuid.uuid4().hex}" for name in inputs}
    try:
        for name, rows in inputs.items():
            rows.createOrReplaceTempView(views[name])
        yield views
    finally:
        for view in views.values():
            with suppress(PySparkException):
                spark.catalog.dropTempView(view)


def window_events(events: DataFrame, windows: Windows) -> DataFrame:
    """Events as a query sees them, with `is_late`; those that nobody can read are left out."""
    time, arrived = F.col("time"), F.timestamp_micros("micros")
    names = [column.split()[0] for column in CONDITION.split(", ")]
    start = windows.start_column(time)
    return events.where(F.col("outcome") == REPLAYED).select(
        *(F.col("value").alias(n) if n == "data" else F.col(n) for n in names),
        arrived.alias("arrived"),
        start.alias(WINDOW),
        (start + F.expr(f"INTERVAL '{windows.size.total_seconds():.6f}' SECOND")).alias(
            "window_end"
        ),
        windows.is_late(time, arrived).alias("is_late"),
    )


def between(events: DataFrame, begin: dt.datetime | None, end: dt.datetime) -> DataFrame:
    """Those events that count for the windows between two moments, or for all before `end`, as a
    query sees them."""
    within = F.col("time") < F.lit(end)
    if begin is not None:
        within &= F.col("time") >= F.lit(begin)
    return events.where(within & ~F.col("is_late")).drop("is_late")


@dataclass(frozen=True)
class EventCounts:
    """What was read of the windows: events that count, late ones, and records nobody can read.

    `seconds_late` is how long after its window's end the last of the late ones came, null without
    any. `ahead` and `behind` are in seconds how far an event's time was ahead of its record's, and
    how far a record's time was behind one before it; null where no record tells its time.
    """

    events: int
    late: int
    exceptions: int
    seconds_late: float | None
    ahead: float | None
    behind: float | None

    def plus(self, counts: EventCounts) -> EventCounts:
        """The counts of both."""
        return EventCounts(
            self.events + counts.events,
            self.late + counts.late,
            self.exceptions + counts.exceptions,
            largest(self.seconds_late, counts.seconds_late),
            largest(self.ahead, counts.ahead),
            largest(self.behind, counts.behind),
        )


def largest(left: float | None, right: float | None) -> float | None:
    """The larger of two numbers; null is less than any."""
    return max((value for value in (left, right) if value is not None), default=None)


def counted_events(
    events: DataFrame, raw: DataFrame, windows: Windows, begin: dt.datetime, end: dt.datetime
) -> EventCounts:
    """The counts of the events between two moments, and of all `raw` records how well ordered they
    are."""
    windowed = window_events(events, windows)
    time, arrived = F.col("time"), F.col("arrived")
    within = (time >= F.lit(begin)) & (time < F.lit(end))
    delay = F.unix_micros(arrived) - F.unix_micros(F.col("window_end"))
    row = windowed.agg(
        F.count_if(within & ~F.col("is_late")),
        F.count_if(within & F.col("is_late")),
        F.max(F.when(within & F.col("is_late"), delay)) / 1e6,
        F.max(F.unix_micros(time) - F.unix_micros(arrived)) / 1e6,
    ).first()
    assert row is not None
    unreadable = events.where(F.col("outcome") == EXCEPTION).count()
    return EventCounts(row[0], row[1], unreadable, row[2], row[3], seconds_behind(raw))


def seconds_behind(raw: DataFrame) -> float | None:
    """How far the time of a record was behind one before it in its partition, of whichever part of
    that it is; null where no record tells its time."""
    row = with_turns(raw).agg(F.max(F.col("turn") - F.col("micros")) / 1e6).first()
    assert row is not None
    seconds: float | None = row[0]
    return seconds


def empty_events(spark: SparkSession) -> DataFrame:
    """No events, as a query sees them: by these a query is tried before anything is read."""
    return no_rows(spark, EVENTS)
