"""What can be wrong with waivers, found before any work is done."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from itertools import product

from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Context
from cutline.engine.examine.refused import unfit
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.load_waivers import WAIVERS
from cutline.project.waivers import Waiver
from cutline.spark.no_rows import no_rows
from cutline.tables import BREAKS
from cutline.tables.breaks import LEVELS, OUTCOME
from cutline_reconciliation.waivers.condition import asked, matches

_NOBODYS = "cutline: a break that nobody has seen"
_AMOUNTS = (None, Decimal(0), Decimal("9e29"), Decimal("-9e29"))


def check(waivers: Iterable[Waiver], context: Context, spark: SparkSession) -> None:
    """ConfigurationError, naming the waiver and the key, for a match that cannot be asked.

    That is a name that is neither an aggregate nor an outcome of the context; SQL that Spark does
    not understand, that is no condition on one row, or that holds of everything.
    """
    for waiver in waivers:
        _check_name(waiver, context)
        if waiver.match.where is not None:
            _check_sql(waiver, waiver.match.where, spark)


def _check_name(waiver: Waiver, context: Context) -> None:
    aggregates = [a.name for a in context.aggregates]
    outcomes = [o.name for o in context.outcomes]
    known = {OUTCOME: outcomes, None: [*aggregates, *outcomes]}.get(waiver.match.level, aggregates)
    name = waiver.match.name
    if name is not None and name not in known:
        raise _wrong(
            waiver,
            "name",
            f"{name!r} is none of {', '.join(known) or 'none'}.{did_you_mean(name, known)}",
        )


def _check_sql(waiver: Waiver, sql: str, spark: SparkSession) -> None:
    """It must hold of no break that nobody has seen, whatever the other keys say."""
    says = f"{sql!r} cannot be asked: "
    try:
        selected = no_rows(spark, BREAKS.ddl).select(asked(sql).alias("held"))
        kind = selected.schema["held"].dataType
        why = unfit(selected)
        if not isinstance(kind, T.BooleanType):
            why = f"it gives a {kind.simpleString()}, and neither true nor false"
        held = [] if why else _held(waiver, spark)
    except PySparkException as error:
        raise _wrong(waiver, "where", says + str(error).strip().splitlines()[0]) from error
    if why:
        raise _wrong(waiver, "where", says + why)
    every = 2 * len(_AMOUNTS)
    wide = [row["level"] for row in held if row["count"] == every]
    if wide:
        raise _wrong(
            waiver,
            "where",
            f"{sql!r} holds of a {' or '.join(wide)} break whatever is in it: it matches "
            "everything. Say which breaks were looked at",
        )


def _held(waiver: Waiver, spark: SparkSession) -> list[Row]:
    """How many breaks that nobody has seen it matches, by level."""
    unseen = spark.createDataFrame(_unseen(), BREAKS.ddl)
    held = unseen.where(matches(waiver.match)).groupBy("level").count()
    return held.orderBy(F.array_position(F.array(*map(F.lit, LEVELS)), F.col("level"))).collect()


def _unseen() -> list[tuple[object, ...]]:
    """Breaks in which every column holds what no break does, or nothing where that may be."""
    rows = []
    for level, amount, empty in product(LEVELS, _AMOUNTS, (True, False)):
        row: dict[str, object] = {
            c.name: _NOBODYS
            for c in BREAKS.columns
            if c.type == "string" and not (empty and c.nullable)
        }
        row |= {c.name: amount for c in BREAKS.columns if c.type.startswith("decimal")}
        row["level"] = level
        rows.append(tuple(row.get(name) for name in BREAKS.names))
    return rows


def _wrong(waiver: Waiver, key: str, says: str) -> ConfigurationError:
    return ConfigurationError(
        f"{WAIVERS}: waivers ({waiver.name}).match.{key}: {says}",
        left_behind="Nothing was started.",
        next_step=f"The columns of breaks are: {', '.join(BREAKS.names)}.",
    )
