"""How the new side decides: Spark SQL of the domain over the projected tables."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from cutline.context import Outcome
from cutline.errors import ConfigurationError, did_you_mean

_NEEDED = ("subject", "value")


def decided(outcome: Outcome, states: Mapping[str, DataFrame]) -> DataFrame:
    """What `decide` returns. It sees each state as a view of its name, which is gone afterwards.

    ConfigurationError, naming the outcome, if Spark does not understand it or a column is missing.
    """
    session = next(iter(states.values())).sparkSession
    try:
        for name, state in states.items():
            state.createOrReplaceTempView(name)
        found = session.sql(outcome.decide)
    except PySparkException as error:
        raise ConfigurationError(
            f"outcome {outcome.name} cannot be decided: {str(error).splitlines()[0]}",
            left_behind="The earlier stages are kept.",
            next_step=f"Mend its `decide`. It can read: {', '.join(states)}.",
        ) from error
    finally:
        # The query is resolved by now and needs the names no longer; another run has its own.
        for name in states:
            session.catalog.dropTempView(name)
    for column in _NEEDED:
        if column not in found.columns:
            raise ConfigurationError(
                f"outcome {outcome.name}: its `decide` returns no column {column!r}."
                + did_you_mean(column, found.columns),
                next_step=f"It returns: {', '.join(found.columns)}.",
            )
    return found
