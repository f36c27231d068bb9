"""What a comparison asks of its two frames, before Spark is asked anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from cutline.errors import ConfigurationError, did_you_mean

_RESULT = ("class", "rows_left", "rows_right", "left", "right", "differences")


def check(
    left: DataFrame, right: DataFrame, key: Sequence[str], columns: Mapping[str, object]
) -> None:
    """ConfigurationError, naming what is wrong, if the frames cannot be compared so."""
    if not key:
        raise ConfigurationError("a comparison needs at least one key column")
    if len(set(key)) < len(key):
        raise ConfigurationError(f"a key column is named twice: {', '.join(key)}")
    for side, frame in (("left", left), ("right", right)):
        for name in (*key, *columns):
            if name not in frame.columns:
                raise ConfigurationError(
                    f"column {name} is not on the {side} side." + did_you_mean(name, frame.columns),
                    next_step=f"It has: {', '.join(frame.columns)}.",
                )
    for name in key:
        _check_key(name, left, right)
        if name in columns:
            raise ConfigurationError(f"column {name} is in the key and cannot be compared as well")


def _check_key(name: str, left: DataFrame, right: DataFrame) -> None:
    if name.lower() in _RESULT:
        raise ConfigurationError(
            f"a key column cannot be called {name}: the result has a column of that name",
            next_step="Rename it on both sides.",
        )
    kinds = [f.schema[name].dataType.simpleString() for f in (left, right)]
    if kinds[0] != kinds[1]:
        raise ConfigurationError(
            f"key column {name} is {kinds[0]} on the left and {kinds[1]} on the right",
            next_step="Cast one of them to the type of the other.",
        )
    if "map<" in kinds[0] or "variant" in kinds[0]:
        raise ConfigurationError(f"key column {name} is {kinds[0]}, which cannot be a key")
