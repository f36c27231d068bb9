"""The events of two runs, by the facts that they announce."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.masking import Masking
from cutline_reconciliation.compare import compare
from cutline_reconciliation.compare.columns.values import value_text
from cutline_reconciliation.run_comparison.clusters import ClusterList, clusters_of, run_part
from cutline_reconciliation.run_comparison.details import change_of, value_change
from cutline_reconciliation.run_comparison.model import (
    CHANGED,
    RowExample,
    RunPart,
    ValueChange,
)

KEY = ("aggregate", "type", "subject", "fact")
_DATA = "data"
_COMPARED = ("time", "migconfidence", "migtimebasis", _DATA)
"""What an event says of its fact; who made it, and when, is no part of that."""


def compare_events(left: DataFrame, right: DataFrame, mask: Masking, scratch: Path) -> RunPart:
    """The events of two timelines, matched by fact key, or by id where an event has none.

    An event is changed if its time, its payload, or how sure these are differs. `scratch` is a
    folder for the details, which is the caller's to remove.
    """
    counts = compare(_facts(left), _facts(right), KEY, details_at=str(scratch))
    details = counts.details
    clusters = (
        ClusterList() if details is None else clusters_of(_rows(details), _EventExamples(mask))
    )
    return run_part("events", "", counts, clusters)


def _facts(timeline: DataFrame) -> DataFrame:
    fact = F.coalesce("migfactkey", "id").alias("fact")
    return timeline.select("aggregate", "type", "subject", fact, *_COMPARED)


def _rows(details: DataFrame) -> DataFrame:
    """Details as rows of clusters; of a payload the fields that differ are named."""
    data = F.get(F.filter("differences", lambda d: d["column"] == _DATA), F.lit(0))
    columns = F.transform("differences", lambda d: d["column"])
    fields = F.transform(_fields(data), lambda field: F.concat(F.lit("data."), field))
    without_data = F.filter(columns, lambda name: name != _DATA)
    named = F.when(F.size(fields) > 0, F.concat(without_data, fields)).otherwise(columns)
    differing = F.when(data.isNotNull(), named).otherwise(columns)
    pairs = F.transform("differences", lambda d: value_change(d["column"], d["left"], d["right"]))
    whole = F.array(
        value_change(F.lit("time"), *(_time(side) for side in ("left", "right"))),
        value_change(F.lit(_DATA), F.col("left.data"), F.col("right.data")),
    )
    is_changed = F.col("class") == CHANGED
    return details.select(
        F.coalesce("key.type", F.lit("?")).alias("name"),
        change_of().alias("change"),
        F.when(is_changed, F.array_sort(differing))
        .otherwise(F.array().cast("array<string>"))
        .alias("differing"),
        F.col("key.aggregate").alias("aggregate"),
        F.col("key.subject").alias("subject"),
        F.when(is_changed, pairs).otherwise(whole).alias("values"),
    )


def _time(side: str) -> Column:
    """The time of an event of a side, as differences write it."""
    return value_text(F.col(f"{side}.time"), T.TimestampType())


def _fields(data: Column) -> Column:
    """The fields of a payload whose values differ; empty where it is no JSON object."""
    left, right = (F.from_json(data[side], "map<string,string>") for side in ("left", "right"))
    names = F.array_distinct(F.concat(F.map_keys(left), F.map_keys(right)))
    unlike = F.filter(
        names, lambda name: ~F.try_element_at(left, name).eqNullSafe(F.try_element_at(right, name))
    )
    return F.coalesce(unlike, F.array().cast("array<string>"))


class _EventExamples:
    """Makes examples of events, with personal fields and subjects masked."""

    def __init__(self, mask: Masking) -> None:
        self._mask = mask

    def __call__(self, row: Row) -> RowExample:
        values: list[ValueChange] = []
        for value in row["values"]:
            if value["name"] == _DATA:
                values += self._payload(value["left"], value["right"])
            else:
                values.append(ValueChange(value["name"], value["left"], value["right"]))
        return RowExample(self._mask.subject(row["aggregate"], row["subject"]), tuple(values))

    def _payload(self, left: str | None, right: str | None) -> list[ValueChange]:
        """The fields that differ, of two payloads; of one payload, that."""
        sides = [_object(left), _object(right)]
        hidden = [_object(self._masked(text)) for text in (left, right)]
        if any(side is None for side in (*sides, *hidden)):
            return [ValueChange(_DATA, self._masked(left), self._masked(right))]
        before, after = (side or {} for side in sides)
        names = sorted(n for n in {*before, *after} if _text(before, n) != _text(after, n))
        shown = [side or {} for side in hidden]
        return [ValueChange(f"data.{n}", _text(shown[0], n), _text(shown[1], n)) for n in names]

    def _masked(self, text: str | None) -> str | None:
        return self._mask.payload(text, lines=False)


def _object(text: str | None) -> dict[str, Any] | None:
    try:
        value = json.loads(text or "", parse_float=str)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _text(fields: dict[str, Any], name: str) -> str | None:
    """A field's value as text; None where it is null or not there."""
    value = fields.get(name)
    return (
        value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    )
