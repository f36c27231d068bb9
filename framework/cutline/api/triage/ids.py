"""Ids of exceptions, which people cut off."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError

MOST = 1000
"""So many exceptions can be named at once."""


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
    wanted = [text.lower() for text in texts]
    starts = F.array(*(F.lit(text) for text in wanted))
    begins = F.exists(starts, lambda start: F.col("id").startswith(start))
    rows = exceptions.where(begins).select("id").limit(2 * MOST).collect()
    whole: dict[str, None] = {}
    for text in wanted:
        ids = [row for row in rows if str(row["id"]).startswith(text)]
        if len(ids) != 1:
            raise no_single_exception(text, run_id, ids)
        whole[str(ids[0]["id"])] = None
    return tuple(whole)


def no_single_exception(text: str, run_id: str, rows: Sequence[Row]) -> ConfigurationError:
    """The error where no exception, or several, have ids that begin so."""
    if rows:
        return ConfigurationError(
            f"Several exceptions of run {run_id} have ids that begin with {text!r}.",
            next_step="Write more of the id.",
        )
    return ConfigurationError(
        f"Run {run_id} has no open exception with the id {text!r}.",
        next_step="cutline exceptions list shows those that it has.",
    )
