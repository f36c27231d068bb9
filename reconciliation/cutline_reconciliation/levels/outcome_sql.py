"""What the new side's SQL of the domain returns over the projected tables."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from cutline.context import Outcome
from cutline.errors import ConfigurationError, did_you_mean

_SUBJECT = "subject"
_NEEDED = (_SUBJECT, "value")


def query_decisions(outcome: Outcome, states: Mapping[str, DataFrame]) -> DataFrame:
    """What `decide` returns. It sees each state as a view of its name, which is gone afterwards.

    ConfigurationError, naming the outcome, if Spark does not understand it or a column is missing.
    """
    return _query(outcome, "decide", outcome.decide, states, _NEEDED)


def query_looks_at(
    outcome: Outcome, states: Mapping[str, DataFrame], aggregates: tuple[str, ...]
) -> DataFrame:
    """What `looks_at` returns, which sees the states as `decide` does: `subject`, and a column per
    aggregate that it looks at.

    ConfigurationError as with `decide`, and for a column that is named as none of the aggregates.
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
        # The query is resolved by now and needs the names no longer; another run has its own.
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
