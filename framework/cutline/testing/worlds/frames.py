"""The tables of changes that a translator reads, from the steps of worlds."""

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
    """The changes of every table that the translator reads; a table without a step is empty.

    The keys are contracts with a world (`contract_in_worlds`). `changing` are the plain contracts
    whose tables have a change log. The column `transaction` has each row's place,
    `<world>:<step>`. `shuffled` is a seed for another order of the rows, in other partitions.
    Changes committed after `cut` are no history.
    """
    records: dict[type[SourceContract], list[Mapping[str, Any]]] = {
        c: [] for c in contracts_read(translator)
    }
    for w, steps in enumerate(worlds):
        for s, step in enumerate(steps):
            records[step.contract].append(_record(step, w, s))
    return {
        contract_in_worlds(c): Changes(
            _frame(spark, c, rows, shuffled),
            CutLines(SnapshotInLog() if c in changing else None, CommitTimestamp(cut)),
        )
        for c, rows in records.items()
    }


def contracts_read(translator: type[Translator]) -> tuple[type[SourceContract], ...]:
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
    changes_type = _changes_type(contract)
    if shuffled is not None:
        random.Random(shuffled).shuffle(rows)  # noqa: S311 - an order, not a secret
    table = pa.Table.from_pylist(rows, schema=to_arrow_schema(changes_type, timezone="UTC"))
    frame = spark.createDataFrame(table, changes_type)
    return frame if shuffled is None else frame.repartition(5)


@lru_cache(maxsize=256)
def _changes_type(contract: type[SourceContract]) -> T.StructType:
    world_contract = contract_in_worlds(contract)
    struct = T.DataType.fromDDL(
        changes(world_contract.source(), world_contract.table(), world_contract.ddl()).ddl
    )
    assert isinstance(struct, T.StructType)
    return struct


def _record(step: Step, w: int, s: int) -> dict[str, Any]:
    contract = step.contract
    values = step.row.values
    return {
        "source": contract.source(),
        "table": contract.table(),
        "key": canonical_json([world(w), *(_key_value(values[name]) for name in contract.key())]),
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
        "source_time": (step.at or _by_place(_changes_before(step, s))) if step.is_change else None,
        "extract_time": EXTRACTED,
        "defects": list(step.defects),
        "payload": None,
    }


def _position(step: Step, s: int) -> PostgresPosition:
    within = 0 if step.begun is None else step.place or s + 1
    return PostgresPosition(_changes_before(step, s) + 1, within)


def _changes_before(step: Step, s: int) -> int:
    """The number of changes before the first one of the step's transaction."""
    return (step.begun or step.place or s + 1) - 1


def _by_place(s: int) -> dt.datetime:
    """The time of a step without one: a minute per step after the extract."""
    return EXTRACTED + dt.timedelta(minutes=s + 1)


def _image(row: Row | None, w: int) -> dict[str, Any] | None:
    return None if row is None else {**row.values, WORLD: world(w)}


def _key_value(value: Any) -> Any:
    return str(value) if isinstance(value, float | bytes) else value
