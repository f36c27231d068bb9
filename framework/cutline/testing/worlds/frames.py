"""From steps to the changes tables that a translator reads."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cutline.cut import CommitTimestamp, CutLines
from cutline.cut.in_log import SnapshotInLog
from cutline.engine.translate import Changes, Inputs
from cutline.identity.canonical import canonical_json
from cutline.positions import NOWHERE, PostgresPosition
from cutline.tables.change import changes
from cutline.testing.row import Row
from cutline.testing.step import EXTRACTED, Step
from cutline.testing.worlds.translator import WORLD, contract_in_worlds, world
from cutline.translator import SourceContract, Translator

World = Sequence[Step]


def inputs_of(
    spark: SparkSession,
    translator: type[Translator],
    worlds: Sequence[World],
    changing: frozenset[type[SourceContract]],
    cut: dt.datetime,
    shuffled: int | None = None,
) -> Inputs:
    """The changes of every table that the translator reads, those without a step empty.

    Its keys are contracts `in_worlds`. `changing` are the plain contracts whose tables have a
    change log. Each row's place, as `<world>:<step>`, stands in `transaction`. `shuffled` is a seed
    for another order of the rows, in other partitions.
    What was committed after `cut` is no history.
    """
    by: dict[type[SourceContract], list[Mapping[str, Any]]] = {c: [] for c in read_by(translator)}
    for w, steps in enumerate(worlds):
        for s, step in enumerate(steps):
            by[step.contract].append(_record(step, w, s))
    return {
        contract_in_worlds(c): Changes(
            _frame(spark, c, rows, shuffled),
            CutLines(SnapshotInLog() if c in changing else None, CommitTimestamp(cut)),
        )
        for c, rows in by.items()
    }


def read_by(translator: type[Translator]) -> tuple[type[SourceContract], ...]:
    """The contracts of the tables that a translator reads, its parts' first, each once."""
    parts = [part.contract for part in translator.parts.values()]
    lookups = [lookup.contract for lookup in translator.lookups.values()]
    views = [view.contract for view in translator.views.values()]
    return tuple(dict.fromkeys([*parts, *lookups, *views]))


def _frame(
    spark: SparkSession,
    contract: type[SourceContract],
    rows: list[Mapping[str, Any]],
    shuffled: int | None,
) -> DataFrame:
    kind = _kind(contract)
    if shuffled is not None:
        random.Random(shuffled).shuffle(rows)  # noqa: S311 - an order, not a secret
    table = pa.Table.from_pylist(rows, schema=to_arrow_schema(kind, timezone="UTC"))
    frame = spark.createDataFrame(table, kind)
    return frame if shuffled is None else frame.repartition(5)


@lru_cache(maxsize=256)
def _kind(contract: type[SourceContract]) -> T.StructType:
    own = contract_in_worlds(contract)
    found = T.DataType.fromDDL(changes(own.source(), own.table(), own.ddl()).ddl)
    assert isinstance(found, T.StructType)
    return found


def _record(step: Step, w: int, s: int) -> dict[str, Any]:
    contract = step.contract
    values = step.row.values
    return {
        "source": contract.source(),
        "table": contract.table(),
        "key": canonical_json([world(w), *(_keyed(values[name]) for name in contract.key())]),
        "old_key": None,
        "op": step.op,
        "before": _image(step.before, w),
        "after": _image(step.after, w),
        "unknown": None,
        "position": _position(step, s).text if step.is_change else NOWHERE,
        "commit": _position(step, s).commit if step.is_change else None,
        "transaction": f"{w}:{s}",
        "partition": 0 if step.is_change else None,
        "offset": s if step.is_change else None,
        "generation": None if step.is_change else 0,
        "source_time": (step.at or _by_place(_begun(step, s))) if step.is_change else None,
        "extract_time": EXTRACTED,
        "defects": list(step.defects),
        "payload": None,
    }


def _position(step: Step, s: int) -> PostgresPosition:
    within = 0 if step.begun is None else step.place or s + 1
    return PostgresPosition(_begun(step, s) + 1, within)


def _begun(step: Step, s: int) -> int:
    """How many changes there were before the first of its transaction."""
    return (step.begun or step.place or s + 1) - 1


def _by_place(s: int) -> dt.datetime:
    """A minute a step from the extract on."""
    return EXTRACTED + dt.timedelta(minutes=s + 1)


def _image(row: Row | None, w: int) -> dict[str, Any] | None:
    return None if row is None else {**row.values, WORLD: world(w)}


def _keyed(value: Any) -> Any:
    return str(value) if isinstance(value, float | bytes) else value
