"""The domain's SQL of an outcome, queried over the projected state tables."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from cutline.context import Context, Outcome, state_name
from cutline.engine.project import state_table
from cutline.errors import ConfigurationError, did_you_mean
from cutline.spark.no_rows import no_rows
from cutline.wording import first_line
from cutline_reconciliation.truth.marks import DECIDE_COLUMNS, refuse_other_columns

_SUBJECT = "subject"
_NEEDED = (_SUBJECT, "value")
_LEFT_BEHIND = "Nothing was started."


def check_outcomes(context: Context, spark: SparkSession) -> None:
    """ConfigurationError, naming outcome and statement, where one cannot be asked of the states.

    Spark analyses each `decide` and `looks_at` over state tables without rows, whether or not the
    legacy answers the outcome.
    """
    names = tuple(aggregate.name for aggregate in context.aggregates)
    views = {state_name(a.name): no_rows(spark, state_table(a).ddl) for a in context.aggregates}
    for outcome in context.outcomes:
        query_decisions(outcome, views)
        if outcome.looks_at:
            query_looks_at(outcome, views, names)


def query_decisions(outcome: Outcome, states: Mapping[str, DataFrame]) -> DataFrame:
    """The rows of the outcome's `decide`; each state table is a temporary view of its name.

    ConfigurationError, naming the outcome, if Spark cannot analyse it, or it returns other columns.
    """
    rows = _query(outcome, "decide", outcome.decide, states, _NEEDED)
    answer = f"outcome {outcome.name}: its `decide`"
    refuse_other_columns(answer, rows.columns, DECIDE_COLUMNS, _LEFT_BEHIND)
    return rows


def query_looks_at(
    outcome: Outcome, states: Mapping[str, DataFrame], aggregates: tuple[str, ...]
) -> DataFrame:
    """The rows of the outcome's `looks_at`: `subject`, and a column per aggregate that it looks at.

    ConfigurationError as for `decide`, and for a column that is no aggregate's name.
    """
    pairs = _query(outcome, "looks_at", outcome.looks_at, states, (_SUBJECT,))
    columns = [c for c in pairs.columns if c != _SUBJECT]
    for column in columns:
        if column not in aggregates:
            raise ConfigurationError(
                f"outcome {outcome.name}: its `looks_at` returns a column {column!r}, which is "
                "named as none of the aggregates." + did_you_mean(column, aggregates),
                left_behind=_LEFT_BEHIND,
                next_step=f"The aggregates are: {', '.join(aggregates)}.",
            )
    if not columns:
        raise ConfigurationError(
            f"outcome {outcome.name}: its `looks_at` returns no column named as an aggregate",
            left_behind=_LEFT_BEHIND,
            next_step=f"The aggregates are: {', '.join(aggregates)}.",
        )
    return pairs


def _query(
    outcome: Outcome,
    statement: str,
    sql: str,
    states: Mapping[str, DataFrame],
    needed: tuple[str, ...],
) -> DataFrame:
    session = next(iter(states.values())).sparkSession
    try:
        for name, state in states.items():
            state.createOrReplaceTempView(name)
        answer = session.sql(sql)
    except PySparkException as error:
        raise ConfigurationError(
            f"outcome {outcome.name}: its `{statement}` is not understood: {first_line(error)}",
            left_behind=_LEFT_BEHIND,
            next_step=f"Mend its `{statement}`. It can read: {', '.join(states)}.",
        ) from error
    finally:
        # The query is analysed and needs the views no longer; another run creates its own.
        for name in states:
            session.catalog.dropTempView(name)
    for column in needed:
        if column not in answer.columns:
            raise ConfigurationError(
                f"outcome {outcome.name}: its `{statement}` returns no column {column!r}."
                + did_you_mean(column, answer.columns),
                left_behind=_LEFT_BEHIND,
                next_step=f"It returns: {', '.join(answer.columns)}.",
            )
    return answer
