"""The last image of every legacy row, as attributes that many rows share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.masking import Masking, masking
from cutline.results import ExtractResult
from cutline.sql.spark import literal, quoted
from cutline.tables.change import SNAPSHOT, changes
from cutline.translator import SourceContract, Translator
from cutline.translator.contract import table_name
from cutline.workspace import Workspace
from cutline_reconciliation.explain.places import NOT_NULL, AttributePlaces, place_columns

MOST_VALUES = 50
"""The most distinct values of a column whose values are attributes; others identify rows."""
_LONGEST = 60

_Contract = type[SourceContract]
_Images = Mapping[_Contract, DataFrame]


def last_images(workspace: Workspace) -> tuple[DataFrame, AttributePlaces]:
    """One row per legacy row of a translated table: `source`, `table`, `key`, and its words.

    The words hold the row's attributes, at the places that are returned beside the rows: of its own
    columns and of those of its translator's lookups, without keys and personal columns. The value
    of a column with at most MOST_VALUES distinct values is itself, of a time its year, of any other
    NOT_NULL or null.
    """
    translation, hidden = workspace.translation, masking([workspace.translation])
    contracts = translation.contracts()
    last = {contract: _last_images(workspace, contract) for contract in contracts}
    texts = {c: _texts(c, hidden) for c in contracts}
    few = _columns_of_few_values(last, hidden)
    values = _values(last, {c: {name: texts[c][name] for name in few[c]} for c in contracts})
    places = place_columns(
        {_name(c, n): sql for c in contracts for n, sql in texts[c].items()},
        {_name(c, n): those for c in contracts for n, those in values[c].items()},
    )
    words = {c: places.words_of(_name(c, n) for n in texts[c]) for c in contracts}
    frames = []
    for translator in translation.translators:
        primary = next(iter(translator.parts.values())).contract
        for part in translator.parts.values():
            rows = last[part.contract].selectExpr("key", "image", *_named(words[part.contract]))
            if part.contract is primary:
                rows = _with_looked_up(rows, translator, last, words)
            frames.append(
                rows.select(
                    F.lit(part.contract.source()).alias("source"),
                    F.lit(part.contract.table()).alias("table"),
                    "key",
                    *places.words,
                )
            )
    return reduce(DataFrame.unionByName, frames), places


def _last_images(workspace: Workspace, contract: _Contract) -> DataFrame:
    """The last image of each row that could be read: `key`, `image`."""
    contract_changes = changes(contract.source(), contract.table(), contract.ddl())
    rows = workspace.lake.read(workspace.spark, contract_changes)
    rows = rows.withColumn("image", F.coalesce("after", "before")).dropna(subset=["image", "key"])
    if contract.source() in workspace.result_of(ExtractResult).logs:
        latest = F.struct(F.col("op") != SNAPSHOT, F.col("position"))
        rows = rows.groupBy("key").agg(F.max_by("image", latest).alias("image"))
    return rows.select("key", "image")


def _with_looked_up(
    rows: DataFrame,
    translator: type[Translator],
    last: _Images,
    words: Mapping[_Contract, Mapping[str, str]],
) -> DataFrame:
    """The rows with the attributes of the single row that each lookup by key finds."""
    for lookup in translator.lookups.values():
        if lookup.many or lookup.as_of is not None:
            continue
        by = [F.col("image").getField(c).alias(f"_by_{i}") for i, c in enumerate(lookup.by)]
        names = [f"_by_{i}" for i in range(len(by))]
        more = {f"_more{word}": sql for word, sql in words[lookup.contract].items()}
        looked_up = last[lookup.contract].select(*by, *map(F.expr, _named(more)))
        looked_up = looked_up.dropDuplicates(names)
        conditions = [
            F.col("image").getField(c) == F.col(n) for c, n in zip(lookup.on, names, strict=True)
        ]
        joined = rows.join(looked_up, reduce(Column.__and__, conditions), "left")
        joined_words = (
            f"{word} | coalesce(_more{word}, 0L) AS {word}" for word in words[lookup.contract]
        )
        rows = joined.selectExpr("key", "image", *joined_words)
    return rows


def _columns_of_few_values(last: _Images, hidden: Masking) -> dict[_Contract, list[str]]:
    """The columns of few distinct values by contract: one job, one row per table."""
    counts = {
        contract: {
            name: f"approx_count_distinct({_text(name, kind)})"
            for name, kind in shown_columns(contract, hidden).items()
            if not isinstance(kind, _MEASURES)
        }
        for contract in last
    }
    return {
        contract: [name for name, number in of.items() if number <= MOST_VALUES]
        for contract, of in _aggregates(last, counts).items()
    }


def _values(
    last: _Images, few: Mapping[_Contract, Mapping[str, str]]
) -> dict[_Contract, dict[str, list[str]]]:
    """The distinct values of columns of which few were counted: one job, one row per table."""
    sets = {c: {name: f"collect_set({sql})" for name, sql in of.items()} for c, of in few.items()}
    return _aggregates(last, sets)


def _aggregates(
    last: _Images, aggregates: Mapping[_Contract, Mapping[str, str]]
) -> dict[_Contract, dict[str, Any]]:
    """The aggregates of each table's images, by name of the column: small values, in one job."""
    texts = []
    for contract, rows in last.items():
        named = [f"{sql} AS {quoted(name)}" for name, sql in aggregates[contract].items()]
        text = f"to_json(struct({', '.join(named)}))" if named else "'{}'"
        # Without an aggregate beside the text a table of no such column would have a row per image.
        texts.append(rows.selectExpr("count(*)", f"{text} AS text").select("text"))
    rows_of_texts = reduce(DataFrame.unionAll, texts).collect()
    return {c: json.loads(row[0]) for c, row in zip(last, rows_of_texts, strict=True)}


def _name(contract: _Contract, column: str) -> str:
    return f"{table_name(contract)}.{column}"


def _named(columns: Mapping[str, str]) -> list[str]:
    return [f"{sql} AS {name}" for name, sql in columns.items()]


_MEASURES = (T.FractionalType, T.ArrayType, T.StructType, T.MapType, T.BinaryType)
"""Types without attributes of values: amounts and nested types."""


def shown_columns(contract: _Contract, hidden: Masking) -> dict[str, T.DataType]:
    """The types of columns that may be attributes: no keys and no personal columns."""
    return {
        n: c.dtype.type
        for n, c in contract.columns().items()
        if n not in contract.key() and n not in contract.personal() and not hidden.hides(n)
    }


def _texts(contract: _Contract, hidden: Masking) -> dict[str, str]:
    """The text of each column that may be an attribute, in Spark SQL by the column's name."""
    return {name: _text(name, kind) for name, kind in shown_columns(contract, hidden).items()}


def _text(name: str, kind: T.DataType) -> str:
    value = f"image.{quoted(name)}"
    if isinstance(kind, (T.DateType, T.TimestampType, T.TimestampNTZType)):
        return f"date_format({value}, 'yyyy')"
    if isinstance(kind, _MEASURES):
        return f"if({value} IS NULL, NULL, {literal(NOT_NULL)})"
    return f"substring(cast({value} AS string), 1, {_LONGEST})"
