"""A few readable rows of a run's tables."""

from __future__ import annotations

from pyspark.errors import PySparkException

from cutline.api.tables.frames import table_of
from cutline.api.tables.readable import readable
from cutline.api.tables.shown import ShownRows
from cutline.control import RunRecord
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.spark.condition import refusal_of_condition
from cutline.spark.quiet_log import quiet_log
from cutline.wording import first_line


def show_rows(
    project: LoadedProject, record: RunRecord, table: str, where: str | None, limit: int
) -> ShownRows:
    """At most `limit` rows of a table, or of the tables of all changes, one below the other.

    Personal values are masked before `where` sees them; legacy images are JSON text, which of all
    changes `where` sees as well. ConfigurationError names what in `where` is no expression over the
    table's own columns, or repeats the first sentence of what Spark has against it.
    """
    frame = table_of(project, record, table, masked=True, by_contract=False)
    spark = frame.sparkSession
    try:
        # What Spark has against `where` is raised, and once is enough.
        with quiet_log(spark):
            if where and (why := refusal_of_condition(spark, where, frame.columns)):
                raise ConfigurationError(
                    f"--where {where!r}: {why}",
                    next_step=f"The columns are: {', '.join(frame.columns)}.",
                )
            chosen = readable((frame.where(where) if where else frame).limit(limit))
            return ShownRows(tuple(chosen.columns), tuple(map(tuple, chosen.collect())))
    except PySparkException as error:
        if not where:
            raise
        raise ConfigurationError(
            f"--where {where!r}: {first_line(error)}",
            next_step=f"The columns are: {', '.join(frame.columns)}.",
        ) from error
