"""Whether the tables of a run have the columns that another version of translators needs."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import SparkSession

from cutline.engine.project import state_table
from cutline.errors import ConfigurationError
from cutline.results import EXTRACT, PROJECT
from cutline.spark.no_rows import no_rows
from cutline.tables import Table
from cutline.tables.change import changes
from cutline.translator.translation import Translation
from cutline.workspace import BaseRun


def refuse_other_shapes(spark: SparkSession, base: BaseRun, translation: Translation) -> None:
    """ConfigurationError where a contract or the state of an aggregate has other columns than the
    base has: what it does not hold would be null, in its rows and in all that is not made anew."""
    for stage, label, table in _tables(translation):
        written = {t.name for t in base.done[stage].tables}
        if table.name not in written:
            raise _refused(base, f"it has no table of {label}")
        written_schema = base.lake.read(spark, table.name).schema
        wanted = no_rows(spark, table.ddl).schema
        differing = [
            field.name
            for field in wanted
            if field.name not in written_schema.names
            or written_schema[field.name].dataType.simpleString() != field.dataType.simpleString()
        ]
        if differing:
            raise _refused(base, f"{label} has other columns by now (in {', '.join(differing)})")


def _tables(translation: Translation) -> Iterator[tuple[str, str, Table]]:
    for contract in translation.contracts():
        source, name = contract.source(), contract.table()
        yield EXTRACT, f"{source}.{name}", changes(source, name, contract.ddl())
    for aggregate in translation.context.aggregates:
        yield PROJECT, f"the state of {aggregate.name}", state_table(aggregate)


def _refused(base: BaseRun, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"Exceptions of run {base.run_id} cannot be re-driven by themselves: {reason}",
        left_behind="Nothing was started.",
        next_step="cutline run reads and translates everything.",
    )
