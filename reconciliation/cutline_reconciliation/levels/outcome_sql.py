"""The domain's SQL of an outcome, queried over the projected state tables."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from cutline.context import Outcome
from cutline.errors import ConfigurationError, did_you_mean
from cutline_reconciliation.truth.marks import DECIDE_COLUMNS, refuse_other_columns

_SUBJECT = "subject"
_NEEDED = (_SUBJECT, "value")


def query_decisions(outcome: Outcome, states: Mapping[str, DataFrame]) -> DataFrame:
    """The rows of the outcome's `decide`; each state table is a temporary view of its name.

    ConfigurationError, naming the outcome, if Spark cannot analyse it, or it returns other columns.
    """
    rows = _query(outcome, "decide", outcome.decide, states, _NEEDED)
    refuse_other_columns(f"outcome {outcome.name}: its `decide`", rows.columns, DECIDE_COLUMNS)
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
                left_behind="The earlier stages are kept.",
                next_step=f"The aggregates are: {', '.join(aggregates)}.",
            )
    if not columns:
        raise ConfigurationError(
            f"outcome {outcome.name}: its `looks_at` returns no column named as an aggregate",
            left_behind="The earlier stages are kept.",
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
            f"outcome {outcome.name}: its `{statement}` is not understood: "
            f"{str(error).splitlines()[0]}",
            left_behind="The earlier stages are kept.",
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
                left_behind="The earlier stages are kept.",
                next_step=f"It returns: {', '.join(answer.columns)}.",
            )
    return answer
