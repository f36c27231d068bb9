"""The legacy's rows as states: read as of one moment, in the types of the table of states."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from cutline.context import Aggregate
from cutline.context.state import HISTORY_COLUMNS
from cutline.engine.project import state_table
from cutline.errors import ConfigurationError, CutlineError, RunFailed, did_you_mean
from cutline.project.loaded import LoadedProject
from cutline.translator.translation import Translation
from cutline_reconciliation.compare.columns.parse_texts import parse_texts
from cutline_reconciliation.rebuild.faults import refuse_faults
from cutline_reconciliation.rebuild.queries import StatesQuery
from cutline_reconciliation.truth import Answer, LegacyQuestion, open_legacy, question

UNCHANGED = "Nothing was built. What services read was not changed."


def read_rows(
    queries: Sequence[StatesQuery],
    project: LoadedProject,
    translation: Translation,
    region: str,
    spark: SparkSession,
    folder: str,
) -> dict[str, DataFrame]:
    """By aggregate one row per subject, in the types of its table of states.

    All are as of one moment. They are files in `folder`, which must be there as long as they are
    read. ConfigurationError, before any row is read, for SQL that the legacy does not understand
    and columns that are none of the state's, or that it lacks; RunFailed where the legacy cannot be
    read, and for rows that are no states: a subject that is null or comes twice, a value of another
    type, or one that no database keeps.
    """
    contracts = translation.contracts()
    columns = {(c.source(), c.table()): tuple(c.columns()) for c in contracts}
    answers: list[tuple[StatesQuery, Answer]] = []
    with (
        _nothing_built(),
        open_legacy(project, [q.sql for q in queries], columns, in_parts=True) as legacy,
    ):
        _refuse_malformed({table: load.malformed for table, load in legacy.loaded.items()})
        questions = []
        for query in queries:
            asking = question(legacy, query.key, query.sql, region, ())
            _refuse_columns(asking, query.aggregate)
            questions.append(asking)
        for query, asking in zip(queries, questions, strict=True):
            answer = asking.write_answer(f"{folder}/{query.aggregate.name}.parquet")
            answers.append((query, answer))
    return {
        query.aggregate.name: _states(spark, query, answer, translation)
        for query, answer in answers
    }


def _states(
    spark: SparkSession, query: StatesQuery, answer: Answer, translation: Translation
) -> DataFrame:
    table = state_table(query.aggregate)
    texts = T.StructType([T.StructField(c, T.StringType()) for c in answer.columns])
    shape = spark.createDataFrame([], table.ddl).schema
    types = {name: shape[name].dataType for name in table.names if name in answer.columns}
    parsed = parse_texts(spark.read.schema(texts).parquet(answer.path), types)
    required = [c.name for c in table.columns if not c.nullable and c.name in types]
    refuse_faults(parsed, types, required, query, translation)
    return parsed.select(*types)


def _refuse_columns(asking: LegacyQuestion, aggregate: Aggregate) -> None:
    names = state_table(aggregate).names
    twice = [name for name in names if asking.columns.count(name) > 1]
    missing = [n for n in names if n not in asking.columns and n not in HISTORY_COLUMNS]
    strange = [name for name in asking.columns if name not in names]
    if twice:
        fault = f"gives column {twice[0]} twice"
    elif missing:
        near = did_you_mean(missing[0], strange)
        fault = f"does not give column {', '.join(missing)} of the state.{near}"
    elif strange:
        near = did_you_mean(strange[0], names)
        fault = f"gives column {', '.join(strange)}, which the state does not have.{near}"
    else:
        return
    raise ConfigurationError(
        f"{asking.label} {fault}",
        next_step=f"A row is to have {', '.join(names)}, of which {', '.join(HISTORY_COLUMNS)} may "
        "be left out.",
    )


def _refuse_malformed(malformed: Mapping[str, int]) -> None:
    for table, lines in malformed.items():
        if lines:
            raise RunFailed(
                f"{table} has {lines:,} lines that cannot be read",
                next_step="Mend the file, then run the same command again.",
            )


@contextlib.contextmanager
def _nothing_built() -> Iterator[None]:
    """Errors of reading the legacy say what they leave of a rebuild."""
    try:
        yield
    except (ConfigurationError, RunFailed) as error:
        raise _kind(error)(error.what, left_behind=UNCHANGED, next_step=error.next_step) from error


def _kind(error: CutlineError) -> type[CutlineError]:
    return ConfigurationError if isinstance(error, ConfigurationError) else RunFailed
