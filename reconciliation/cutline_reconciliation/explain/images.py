"""The last image of every legacy row, as attributes that many rows share."""

from __future__ import annotations

import json
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.masking import Masking, masking
from cutline.results import ExtractResult
from cutline.tables.change import SNAPSHOT, changes
from cutline.translator import SourceContract, Translator
from cutline.translator.contract import table_name
from cutline.workspace import Workspace

IMAGE_ATTRIBUTES = "image_attributes"
MOST_VALUES = 50
"""The most distinct values of a column whose values are attributes; others identify rows."""
NOT_NULL = "given"
"""The value of an attribute for any value that is not null, of such other columns."""
_LONGEST = 60


def last_images(workspace: Workspace) -> DataFrame:
    """One row per legacy row of a translated table: `source`, `table`, `key`, `image_attributes`.

    `image_attributes` is an array of structs of `name` and `value`, for the row's own columns and
    those of its translator's lookups, without keys and personal columns. The value of a column with
    at most MOST_VALUES distinct values is itself, of a time its year, of any other NOT_NULL or
    null.
    """
    translation, hidden = workspace.translation, masking([workspace.translation])
    contracts = translation.contracts()
    last = {contract: _last_images(workspace, contract) for contract in contracts}
    few = _columns_of_few_values(last, hidden)
    attributes = {c: _attributes(c, few[c], hidden).alias(IMAGE_ATTRIBUTES) for c in contracts}
    frames = []
    for translator in translation.translators:
        primary = next(iter(translator.parts.values())).contract
        for part in translator.parts.values():
            rows = last[part.contract].select("key", "image", attributes[part.contract])
            if part.contract is primary:
                rows = _with_looked_up(rows, translator, last, attributes)
            frames.append(
                rows.select(
                    F.lit(part.contract.source()).alias("source"),
                    F.lit(part.contract.table()).alias("table"),
                    "key",
                    IMAGE_ATTRIBUTES,
                )
            )
    return reduce(DataFrame.unionByName, frames)


def _last_images(workspace: Workspace, contract: type[SourceContract]) -> DataFrame:
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
    last: dict[type[SourceContract], DataFrame],
    attributes: dict[type[SourceContract], Column],
) -> DataFrame:
    """The rows with the attributes of the single row that each lookup by key finds."""
    for name, lookup in translator.lookups.items():
        if lookup.many or lookup.as_of is not None:
            continue
        by = [F.col("image").getField(c).alias(f"_by_{i}") for i, c in enumerate(lookup.by)]
        names = [f"_by_{i}" for i in range(len(by))]
        looked_up = last[lookup.contract].select(*by, attributes[lookup.contract].alias(name))
        looked_up = looked_up.dropDuplicates(names)
        conditions = [
            F.col("image").getField(c) == F.col(n) for c, n in zip(lookup.on, names, strict=True)
        ]
        rows = rows.join(looked_up, reduce(Column.__and__, conditions), "left").drop(*names)
        with_looked_up = F.concat(IMAGE_ATTRIBUTES, F.coalesce(name, F.array().cast(_ARRAY)))
        rows = rows.withColumn(IMAGE_ATTRIBUTES, with_looked_up).drop(name)
    return rows


_ARRAY = "array<struct<name:string,value:string>>"


def _columns_of_few_values(
    last: dict[type[SourceContract], DataFrame], hidden: Masking
) -> dict[type[SourceContract], frozenset[str]]:
    """The columns of few distinct values by contract: one job, one row per table."""
    counts = []
    for contract, rows in last.items():
        kinds = shown_columns(contract, hidden)
        numbers = [
            F.approx_count_distinct(_value(n, kind)).alias(n)
            for n, kind in kinds.items()
            if not isinstance(kind, _MEASURES)
        ]
        text = F.to_json(F.struct(*numbers)) if numbers else F.lit("{}")
        counts.append(rows.agg(F.count("*"), text.alias("counted")).select("counted"))
    texts = [row[0] for row in reduce(DataFrame.unionAll, counts).collect()]
    return {
        contract: frozenset(n for n, number in json.loads(text).items() if number <= MOST_VALUES)
        for contract, text in zip(last, texts, strict=True)
    }


def _attributes(contract: type[SourceContract], few: frozenset[str], hidden: Masking) -> Column:
    """The attributes of an image, as an array."""
    attributes = []
    for name, kind in shown_columns(contract, hidden).items():
        value = _value(name, kind)
        shown = value if name in few else F.when(value.isNotNull(), NOT_NULL)
        full = f"{table_name(contract)}.{name}"
        attributes.append(F.struct(F.lit(full).alias("name"), shown.alias("value")))
    return F.array(*attributes).cast(_ARRAY)


_MEASURES = (T.FractionalType, T.ArrayType, T.StructType, T.MapType, T.BinaryType)
"""Types without attributes of values: amounts and nested types."""


def shown_columns(contract: type[SourceContract], hidden: Masking) -> dict[str, T.DataType]:
    """The types of columns that may be attributes: no keys and no personal columns."""
    return {
        n: c.dtype.type
        for n, c in contract.columns().items()
        if n not in contract.key() and n not in contract.personal() and not hidden.hides(n)
    }


def _value(name: str, kind: T.DataType) -> Column:
    value = F.col("image").getField(name)
    if isinstance(kind, (T.DateType, T.TimestampType, T.TimestampNTZType)):
        return F.date_format(value, "yyyy")
    if isinstance(kind, _MEASURES):
        return F.when(value.isNotNull(), NOT_NULL)
    return F.substring(value.cast("string"), 1, _LONGEST)
