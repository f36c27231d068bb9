"""Ids of exceptions, which people cut off."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError, did_you_mean

MOST = 1000
"""So many exceptions can be named at once."""
SHORTEST = 4
"""So many characters of an id are enough, where only one begins so."""


def whole_ids(exceptions: DataFrame, texts: Sequence[str], run_id: str) -> tuple[str, ...]:
    """The ids of `exceptions` that begin so, each once; ConfigurationError for a text with which
    none or several begin."""
    if len(texts) > MOST:
        raise ConfigurationError(
            f"{len(texts):,} exceptions are more than can be named at once ({MOST:,}).",
            next_step="Name their rule instead.",
        )
    if not texts:
        return ()
    wanted = [text.strip().lower() for text in texts]
    for text in wanted:
        require_id(text)
    starts = F.array(*(F.lit(text) for text in wanted))
    begins = F.filter(starts, lambda start: F.col("id").startswith(start))
    beginning = exceptions.select("id", F.explode(begins).alias("start"))
    ends = beginning.groupBy("start").agg(F.min("id").alias("id"), F.max("id").alias("last"))
    rows = {row["start"]: row for row in ends.limit(MOST).collect()}
    for text in wanted:
        if text not in rows or rows[text]["id"] != rows[text]["last"]:
            raise no_single_exception(text, run_id, rows.get(text) is not None)
    return tuple(dict.fromkeys(str(rows[text]["id"]) for text in wanted))


def require_id(text: str) -> None:
    """ConfigurationError for a text that is too short to name one exception."""
    if len(text) < SHORTEST:
        raise ConfigurationError(
            f"{text!r} is no id of an exception: at least {SHORTEST} characters of it are needed.",
            next_step="cutline exceptions list shows them.",
        )


def require_rules(exceptions: DataFrame, rules: Sequence[str], run_id: str) -> None:
    """ConfigurationError for a rule that none of the exceptions has."""
    if not rules:
        return
    rules_there = [str(row["rule"]) for row in exceptions.select("rule").distinct().collect()]
    for rule in rules:
        if rule not in rules_there:
            raise ConfigurationError(
                f"Run {run_id} has no open exception of rule {rule!r}."
                f"{did_you_mean(rule, rules_there)}",
                next_step=f"Its rules are: {', '.join(sorted(rules_there)) or 'none'}.",
            )


def no_single_exception(text: str, run_id: str, several: bool) -> ConfigurationError:
    """The error where no exception, or several, have ids that begin so."""
    if several:
        return ConfigurationError(
            f"Several exceptions of run {run_id} have ids that begin with {text!r}.",
            next_step="Write more of the id.",
        )
    return ConfigurationError(
        f"Run {run_id} has no open exception with the id {text!r}.",
        next_step="cutline exceptions list shows those that it has.",
    )
