"""Checks of waivers before any work is done."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Context
from cutline.engine.examine import impurity
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.load_waivers import WAIVERS
from cutline.project.waivers import Waiver
from cutline.sources import mentions
from cutline.spark.condition import refusal_of_condition
from cutline.spark.no_rows import no_rows
from cutline.tables import BREAKS
from cutline.tables.breaks import LEVELS, OUTCOME
from cutline.wording import first_line
from cutline_reconciliation.waivers.condition import condition_sql, matches
from cutline_reconciliation.waivers.hypothetical_breaks import hypothetical_breaks


def check_waivers(waivers: Iterable[Waiver], context: Context, spark: SparkSession) -> None:
    """ConfigurationError, naming waiver and key, for a match that is not allowed.

    That is a name that is neither an aggregate nor an outcome of the context; subjects whose
    aggregate is ambiguous; SQL that Spark cannot analyse, or that is no condition on one row; and a
    match of every possible break of a level.
    """
    for waiver in waivers:
        _check_name(waiver, context)
        _check_subjects(waiver, context)
        if waiver.match.where is not None:
            _check_sql(waiver, waiver.match.where, spark)
        _check_width(waiver, context, spark)
        _check_subjects_of_sql(waiver, context)


def _check_name(waiver: Waiver, context: Context) -> None:
    aggregates = [a.name for a in context.aggregates]
    outcomes = [o.name for o in context.outcomes]
    names_by_level = {OUTCOME: outcomes, None: [*aggregates, *outcomes]}.get(
        waiver.match.level, aggregates
    )
    match = waiver.match
    for key, name, names in (
        ("name", match.name, names_by_level),
        ("aggregate", match.aggregate, aggregates),
    ):
        if name is not None and name not in names:
            raise _wrong_waiver(
                waiver,
                key,
                f"{name!r} is none of {', '.join(names) or 'none'}.{did_you_mean(name, names)}",
            )


def _check_subjects(waiver: Waiver, context: Context) -> None:
    """Subjects of several aggregates may have one id: the match must name one."""
    match = waiver.match
    key = "subjects" if match.subjects is not None else "subject_pattern"
    named = match.subjects is not None or match.subject_pattern is not None
    if named and not _is_of_one_aggregate(waiver, context):
        raise _wrong_waiver(waiver, key, _whose_subjects(context))


def _check_subjects_of_sql(waiver: Waiver, context: Context) -> None:
    """The same for subjects in SQL, which may name the aggregate itself."""
    sql = waiver.match.where or ""
    names_aggregate = mentions(sql, "aggregate") or mentions(sql, "name")
    if (
        mentions(sql, "subject")
        and not names_aggregate
        and not _is_of_one_aggregate(waiver, context)
    ):
        raise _wrong_waiver(waiver, "where", f"{sql!r}: {_whose_subjects(context)}")


def _is_of_one_aggregate(waiver: Waiver, context: Context) -> bool:
    """Whether the match is of one aggregate's subjects only."""
    match = waiver.match
    named = match.name is not None or match.aggregate is not None
    return named or len(context.aggregates) < 2


def _whose_subjects(context: Context) -> str:
    names = ", ".join(a.name for a in context.aggregates)
    return f"subjects of which aggregate? Say `aggregate`, one of {names}, or `name`"


def _check_sql(waiver: Waiver, sql: str, spark: SparkSession) -> None:
    prefix = f"{sql!r} cannot be asked: "
    try:
        if refused := refusal_of_condition(spark, sql, BREAKS.names):
            raise _wrong_waiver(waiver, "where", prefix + refused)
        selected = no_rows(spark, BREAKS.ddl).select(condition_sql(sql).alias("held"))
        kind = selected.schema["held"].dataType
        why = impurity(selected)
        if not isinstance(kind, T.BooleanType):
            why = f"it gives a {kind.simpleString()}, and neither true nor false"
    except PySparkException as error:
        raise _wrong_waiver(waiver, "where", prefix + first_line(error)) from error
    if why:
        raise _wrong_waiver(waiver, "where", prefix + why)


def _check_width(waiver: Waiver, context: Context, spark: SparkSession) -> None:
    """The match must not hold for every possible break of a level."""
    missed = F.count_if(~matches(waiver.match)).alias("missed")
    try:
        rows = hypothetical_breaks(context, spark).groupBy("level").agg(missed).collect()
    except PySparkException as error:
        prefix = f"{waiver.match.where!r} cannot be asked: "
        raise _wrong_waiver(waiver, "where", prefix + first_line(error)) from error
    wide = [level for level in LEVELS if (level, 0) in {tuple(row) for row in rows}]
    if wide:
        match = waiver.match.model_dump(exclude_none=True)
        key = "where" if "where" in match else next(iter(match))
        what_holds = f"{match[key]!r} holds" if key == "where" else "it holds"
        raise _wrong_waiver(
            waiver,
            key,
            f"{what_holds} of a {' or '.join(wide)} break whatever is in it: it matches "
            "everything. Say which breaks were looked at",
        )


def _wrong_waiver(waiver: Waiver, key: str, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f"{WAIVERS}: waivers ({waiver.name}).match.{key}: {problem}",
        left_behind="Nothing was started.",
        next_step=f"The columns of breaks are: {', '.join(BREAKS.names)}.",
    )
