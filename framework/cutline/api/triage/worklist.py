"""The exceptions of a run as rows of a list: with age, money and owner. DataFrame to DataFrame."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.control.triage import Assignment
from cutline.project.gates import AcceptedExceptions
from cutline.tables.breaks import FIXED

MONEY = "decimal(38,6)"
_ASSIGNED = "struct<number:bigint,owner:string>"
ENTRY = (
    *("id", "rule", "level", "aggregate", "subject", "reason", "source", "table", "key", "rows"),
    *("state", "first_seen_run", "first_seen_at", "last_seen_run", "age_days", "money", "owner"),
    "discarded",
)


@dataclass(frozen=True)
class Owners:
    """Who looks after which exceptions of a slice: by their ids and by their rules."""

    assignments: Sequence[Assignment]
    """Newest first."""
    accepted: Sequence[AcceptedExceptions]
    """Whoever accepts a rule answers for it, unless it was given to somebody."""

    def owner(self) -> Column:
        """The owner of a row of EXCEPTION_HISTORY; null for nobody.

        The newest assignment of its id or of its rule decides.
        """
        newest = F.greatest(self._newest("exception", "id"), self._newest("rule", "rule"))
        accepting = _map({a.rule: F.lit(a.owner) for a in self.accepted}, "string")
        return F.when(newest.isNotNull(), newest["owner"]).otherwise(
            F.try_element_at(accepting, F.col("rule"))
        )

    def _newest(self, of: str, column: str) -> Column:
        """Number and owner of the newest assignment by exception or by rule; null without one."""
        newest: dict[str, Column] = {}
        for assignment in self.assignments:
            if (key := getattr(assignment, of)) is not None and key not in newest:
                number, owner = F.lit(assignment.number), F.lit(assignment.owner)
                newest[key] = F.struct(number.alias("number"), owner.alias("owner"))
        return F.try_element_at(_map(newest, _ASSIGNED), F.col(column))


def with_work(
    history: DataFrame,
    owners: Owners,
    discarded: Mapping[str, str],
    money: Sequence[str],
    now: dt.datetime,
) -> DataFrame:
    """The rows of EXCEPTION_HISTORY with `age_days`, `money`, `owner` and `discarded`.

    `discarded` is the entry of waivers.yaml that has an exception, by id.
    """
    names = _map({exception: F.lit(name) for exception, name in discarded.items()}, "string")
    return history.withColumns(
        {
            "age_days": F.date_diff(F.lit(now.date()), F.to_date("first_seen_at")),
            "money": money_of(F.col("payload"), money),
            "owner": owners.owner(),
            "discarded": F.try_element_at(names, F.col("id")),
        }
    )


def money_of(payload: Column, fields: Sequence[str]) -> Column:
    """The first of these fields of a JSON object that is a number; null without one."""
    values = [F.get_json_object(payload, f"$['{name}']").try_cast(MONEY) for name in fields]
    return F.coalesce(*values) if values else F.lit(None).cast(MONEY)


def is_open() -> Column:
    """Whether a row of EXCEPTION_HISTORY is open."""
    return F.col("state") != FIXED


def by_rule(rows: DataFrame) -> DataFrame:
    """One row per rule: how many, of how many subjects, how old, and whose."""
    subject = F.struct("aggregate", "subject")
    return rows.groupBy("rule").agg(
        F.count(F.lit(1)).alias("exceptions"),
        F.count_distinct(F.when(F.col("subject").isNotNull(), subject)).alias("subjects"),
        F.max("age_days").alias("oldest_days"),
        F.try_sum("money").alias("money"),
        F.array_sort(F.collect_set("owner")).alias("owners"),
        F.count_if(F.col("owner").isNull()).alias("unowned"),
        F.count_if(F.col("discarded").isNotNull()).alias("discarded"),
    )


def in_order(rows: DataFrame) -> DataFrame:
    """Most money first, then the oldest."""
    return rows.orderBy(
        F.desc_nulls_last("money"), F.desc("age_days"), "rule", "aggregate", "subject", "id"
    )


def _map(values: Mapping[str, Column], kind: str) -> Column:
    if not values:
        return F.lit(None).cast(f"map<string,{kind}>")
    pairs = [part for name, value in values.items() for part in (F.lit(name), value.cast(kind))]
    return F.create_map(*pairs)
