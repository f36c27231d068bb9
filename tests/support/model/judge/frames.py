"""From cases to the changes tables of one Spark job."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cutline.cut import CutLines, CutPolicy, snapshot_position
from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import Changes, Inputs
from cutline.identity.canonical import canonical_json
from cutline.positions import PostgresPosition
from cutline.tables.change import changes
from cutline.testing.worlds.translator import WORLD, contract_in_worlds, world
from cutline.translator import SourceContract
from support.model.connector import SNAPSHOT, Record
from support.model.judge.cases import Case
from support.model.judge.cuts import PLACE, SECOND, Cut
from support.model.judge.policy import OfGroups
from support.model.judge.translators import Item, Line
from support.model.source import Row
from support.model.steps import Key

KEYS: dict[type[SourceContract], tuple[str, ...]] = {Item: ("id",), Line: ("no", "sku")}


@dataclass(frozen=True)
class JobInputs:
    """The inputs of the job, and how many distinct policies the cases have."""

    inputs: Inputs
    policies: int


def job_inputs(spark: SparkSession, cases: Sequence[Case]) -> JobInputs:
    """The changes of all cases, each in the world of its number."""
    policies: dict[str, CutPolicy] = {}
    rows: dict[type[SourceContract], list[dict[str, Any]]] = {Item: [], Line: []}
    for number, case in enumerate(cases):
        policy = case.history_cut.policy
        policies.setdefault(repr(policy), policy)
        group = list(policies).index(repr(policy))
        for record in case.records:
            contract = Item if len(record.key) == 1 else Line
            rows[contract].append(_row(record, case, number, group, contract))
    lines = CutLines(OfGroups(tuple(policies.values())))
    inputs = {
        contract_in_worlds(contract): Changes(
            _frame(spark, contract, found), lines, _features(cases)
        )
        for contract, found in rows.items()
    }
    return JobInputs(inputs, len(policies))


def _features(cases: Sequence[Case]) -> ChangeFeatures:
    """What the extract would have seen in all of them."""
    records = [record for case in cases for record in case.records]
    return ChangeFeatures(
        partial=any(case.manners.key_only or case.manners.toasted for case in cases),
        renames=any(record.old_key is not None for record in records),
        unplaced=any(record.reread for record in records),
        generations=any(record.generation for record in records),
    )


def position_text(record: Record, cut: Cut) -> str | None:
    """The position of a record, as the changes table has it."""
    if record.reread:
        return None
    if record.op == SNAPSHOT:
        if cut.repair is None:
            return snapshot_position(cut.policy)
        return (cut.repair.point if record.generation == SECOND else PostgresPosition(PLACE)).text
    return cut.position(record).text


def key_text(key: Key, number: int) -> str:
    """A row's key in its world, as the changes table has it."""
    return canonical_json([world(number), *key])


def _frame(spark: SparkSession, contract: type[SourceContract], rows: list[dict[str, Any]]) -> Any:
    in_worlds = contract_in_worlds(contract)
    kind = T.DataType.fromDDL(changes(in_worlds.source(), in_worlds.table(), in_worlds.ddl()).ddl)
    assert isinstance(kind, T.StructType)
    table = pa.Table.from_pylist(rows, schema=to_arrow_schema(kind, timezone="UTC"))
    return spark.createDataFrame(table, kind).repartition(2)


def _row(
    record: Record, case: Case, number: int, group: int, contract: type[SourceContract]
) -> dict[str, Any]:
    cut = case.history_cut
    logged = record.op != SNAPSHOT
    return {
        "source": contract.source(),
        "table": contract.table(),
        "key": key_text(record.key, number),
        "old_key": None if record.old_key is None else key_text(record.old_key, number),
        "op": record.op,
        "before": _before(record, case, number, contract),
        "after": _image(record.after, number, contract, record.unknown),
        "unknown": list(record.unknown) or None,
        "position": position_text(record, cut),
        "commit": cut.position(record).commit if logged else None,
        "transaction": str((record.xid + cut.xid) % 2**32) if logged else None,
        "partition": record.partition if logged or record.reread else None,
        "offset": cut.offset(record) if logged or record.reread else None,
        "generation": None if logged else record.generation,
        "source_time": cut.time(record.time) if logged else None,
        "extract_time": _extract_time(case) + dt.timedelta(microseconds=group),
        "defects": [],
        "payload": None,
    }


def _extract_time(case: Case) -> dt.datetime:
    """When the extract was taken: by its own clock, or just before what it does not see."""
    clock = case.history.snapshot.time
    unseen = [t.time - 1 for t in case.history.log if t.xid not in case.history_cut.shown]
    return case.history_cut.time(clock if case.manners.late else min([clock, *unseen]))


def _before(
    record: Record, case: Case, number: int, contract: type[SourceContract]
) -> dict[str, Any] | None:
    """The row before as it is told: with `key_only`, not at all."""
    return None if case.manners.key_only else _image(record.before, number, contract)


def _image(
    row: Row | None,
    number: int,
    contract: type[SourceContract],
    unknown: Sequence[str] = (),
) -> dict[str, Any] | None:
    if row is None:
        return None
    values = {
        **dict(zip(KEYS[contract], row.key, strict=True)),
        "born": row.born,
        "status": row.status,
        "qty": row.qty,
        "note": row.note,
    }
    known_values = {name: None if name in unknown else value for name, value in values.items()}
    return {WORLD: world(number), **known_values}
