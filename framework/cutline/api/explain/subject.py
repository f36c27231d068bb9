"""The whole life of one subject, from the tables of a run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.api.explain.links import depended_on, looked_at, put_aside
from cutline.api.rows import declared, personal, shown
from cutline.context import Aggregate
from cutline.control import RunRecord
from cutline.engine.wholes import wholes
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.masking import Masking
from cutline.masking.frames import masked
from cutline.project import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.tables import LINKS
from cutline.tables.breaks import OUTCOME, STATE
from cutline.tables.change import changes_name

Row = dict[str, Any]

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "dispositions": ("position", "source", "table", "key"),
    "events": ("time", "sequence", "id"),
    "verdicts": ("type", "id"),
    "timeline": ("aggregate", "ordinal"),
    "refused": ("time", "sequence", "id"),
    "findings": ("rule", "event_id"),
    "exceptions": ("level", "position", "event_id"),
    "tombstones": ("aggregate",),
    "outcomes": ("outcome",),
    "excuses": ("level", "name"),
    "breaks": ("level", "name", "column", "kind"),
}
"""The tables with rows of a subject, and the order in which these are shown."""
_MORE = (
    *("clusters", "looks_at", "depends_on", "put_aside", "looked_at_by", "depended_on_by"),
    "parts",
)
"""What is told of a subject beside these: the clusters of its breaks, the breaks that its decisions
look at and its states depend on, the rows and events that were put aside below either, the
decisions and the states that depend on what is its own, and its parts."""
_NEAR = 3
_STATE, _TRUTH = "state_", "truth_"


@dataclass(frozen=True)
class Life:
    """What a run knows of one subject; texts are masked as `cutline show` masks them.

    `aggregate` is the one that it is a subject of; null where no row of it says so. `sections`
    holds at most the asked number of rows of each table, in order; `state` and `truth` are by
    aggregate. `more` says of which there were more, and how many.
    """

    subject: str
    aggregate: str | None
    record: RunRecord
    sections: Mapping[str, Sequence[Row]]
    state: Mapping[str, Row]
    truth: Mapping[str, Row]
    more: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """One document; its names are those of the tables."""
        return {
            "subject": self.subject,
            "aggregate": self.aggregate,
            "context": self.record.context,
            "region": self.record.region,
            "run": self.record.run_id,
            **self.sections,
            "state": self.state,
            "truth": self.truth,
            "more": self.more,
        }


def life_of(
    project: LoadedProject,
    record: RunRecord,
    subject: str,
    limit: int,
    aggregate: str | None = None,
) -> Life:
    """The life of a subject in a run, in a few Spark jobs that read its rows alone.

    Rows of another aggregate's subject of that id are not of it; rows that name no aggregate may
    be, and are shown. ConfigurationError where several aggregates have one of that id and none is
    asked for; and where the run has nothing of it, with subjects of nearly that name.
    """
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    looking = _Looking(spark, lake, personal(record.context), _written(record), limit)
    known = looking.aggregates_of(subject)
    if aggregate is None and len(known) > 1:
        raise ConfigurationError(
            f"{subject!r} is a subject of {' and of '.join(known)}.",
            next_step=f"Say which is meant, such as: cutline explain {shlex.quote(subject)} "
            f"--aggregate {known[0]}",
        )
    whose = aggregate or next(iter(known), None)
    if aggregate is not None and aggregate not in known:
        raise _nowhere(looking, subject, record, aggregate)
    found, more = looking.at_subject(subject, whose, declared(record.context))
    if not any(found.values()):
        raise _nowhere(looking, subject, record)
    changes, more_changes = looking.at_rows(subject, whose)
    told = {name: found.get(name, []) for name in (*SECTIONS, *_MORE)}
    return Life(
        subject,
        whose,
        record,
        {"changes": changes, **told},
        _by_aggregate(found, _STATE),
        _by_aggregate(found, _TRUTH),
        more | more_changes,
    )


def _by_aggregate(found: Mapping[str, Sequence[Row]], prefix: str) -> dict[str, Row]:
    """The one row of each aggregate that has one."""
    return {
        n.removeprefix(prefix): rows[0]
        for n, rows in found.items()
        if n.startswith(prefix) and rows
    }


def _written(record: RunRecord) -> tuple[str, ...]:
    """The tables of completed stages."""
    return tuple(
        table.name
        for stage in record.stages
        if stage.status == "done" and stage.result is not None
        for table in stage.result.tables
    )


def _nowhere(
    looking: _Looking, subject: str, record: RunRecord, aggregate: str | None = None
) -> ConfigurationError:
    near = looking.near(subject)
    told = f" Near to it: {', '.join(near)}." if near else ""
    asked = [name for name in looking.tables if _names_subjects(name)]
    return ConfigurationError(
        f"Run {record.run_id} of {record.context} {record.region} has no subject {subject!r} "
        f"{f'of aggregate {aggregate!r} ' if aggregate else ''}in "
        f"{', '.join(asked) or 'any table, for no stage is complete'}.{told}",
        next_step="A subject is written as its aggregate writes it, such as SO-1, or SO-1/2 of a "
        "line.",
    )


def _names_subjects(table: str) -> bool:
    return table in SECTIONS or table.startswith((_STATE, _TRUTH))


@dataclass(frozen=True)
class _Looking:
    """Looks for a subject in the tables of one run."""

    spark: SparkSession
    lake: Lake
    hidden: Masking
    tables: tuple[str, ...]
    limit: int

    def aggregates_of(self, subject: str) -> list[str]:
        """The aggregates that have a subject of this id, sorted: few, for they are declared."""
        frames = [
            rows.where(F.col("subject") == subject).select("aggregate")
            for name in self.tables
            if _names_subjects(name)
            for rows in [self._of_aggregates(name)]
        ]
        if not frames:
            return []
        every = reduce(DataFrame.union, frames).dropna().distinct()
        return sorted(row[0] for row in every.collect())

    def at_subject(
        self, subject: str, aggregate: str | None, aggregates: Sequence[Aggregate]
    ) -> tuple[dict[str, list[Row]], dict[str, int]]:
        """The rows of every table that names the subject of the aggregate, and those of _MORE; its
        parts are those that are declared to be its own."""
        asked = {}
        for name in self.tables:
            if _names_subjects(name):
                rows = self._shown(name, self._of(name, subject, aggregate))
                asked[name] = rows.orderBy(*SECTIONS.get(name, ("subject",)))
        if {"clusters", "breaks"} <= set(self.tables):
            mine = self._of("breaks", subject, aggregate).select("cluster")
            clusters = self._read("clusters").join(mine, "cluster", "left_semi")
            asked["clusters"] = self._shown("clusters", clusters).orderBy("by_count")
        if {"links", "breaks"} <= set(self.tables):
            asked |= self._links(subject, aggregate)
        parts = wholes(self.lake, self.spark, aggregates)
        if parts is not None and aggregate is not None:
            whole = (F.col("whole_aggregate") == aggregate) & (F.col("whole") == subject)
            own = parts.where(whole).select("subject", "aggregate")
            asked["parts"] = self._shown("parts", own).orderBy("subject", "aggregate")
        return self._collected(asked)

    def _links(self, subject: str, aggregate: str | None) -> dict[str, DataFrame]:
        """What feeds the breaks of the subject, and what it feeds."""
        links, breaks = self.lake.read(self.spark, LINKS), self._read("breaks")
        mine, theirs = links.where(F.col("subject") == subject), F.col("by_subject") == subject
        if aggregate is not None:
            mine = mine.where(F.col("aggregate").isNull() | (F.col("aggregate") == aggregate))
            theirs &= F.col("by_name") == aggregate
        fed = self._shown("links", links.where(theirs))
        told_by = ("by_name", "by_level", "by_kind", "by_column", "name", "subject")
        of_level = {"looked_at_by": OUTCOME, "depended_on_by": STATE}
        return {
            "looks_at": looked_at(mine, breaks, self._shown),
            "depends_on": depended_on(mine, breaks, self._shown),
            "put_aside": put_aside(mine, self._shown),
            **{
                name: fed.where(F.col("level") == level).orderBy(*told_by)
                for name, level in of_level.items()
            },
        }

    def at_rows(self, subject: str, aggregate: str | None) -> tuple[list[Row], dict[str, int]]:
        """The changes of the legacy rows behind the subject, in the order of their positions."""
        keys = [
            self._of(name, subject, aggregate).select(*columns)
            for name, columns in _NAMED_BY.items()
            if name in self.tables
        ]
        if not keys:
            return [], {}
        rows = reduce(DataFrame.union, keys).dropna().distinct().limit(self.limit).collect()
        frames = []
        for name in self.tables:
            of = [key for source, table, key in rows if changes_name(source, table) == name]
            if of:
                mine = self._read(name).where(F.col("key").isin(of))
                frames.append(self._shown(name, mine))
        if not frames:
            return [], {}
        every = reduce(DataFrame.unionByName, frames)
        told, more = self._collected({"changes": every.orderBy("position", "source", "table")})
        return told["changes"], more

    def near(self, subject: str) -> list[str]:
        """Subjects that are called nearly so; none where subjects may be personal."""
        names = [n for n in ("dispositions", "timeline", "breaks") if n in self.tables]
        if not names or self.hidden.hides_subject(None):
            return []
        every = reduce(DataFrame.union, [self._read(n).select("subject") for n in names])
        far = F.levenshtein(F.col("subject"), F.lit(subject))
        nearest = every.where(far <= max(2, len(subject) // 4)).distinct()
        return [row[0] for row in nearest.orderBy(far, "subject").limit(_NEAR).collect()]

    def _of(self, name: str, subject: str, aggregate: str | None) -> DataFrame:
        """The rows of a table that name the subject, and no other aggregate."""
        rows = self._of_aggregates(name).where(F.col("subject") == subject)
        if aggregate is not None:
            rows = rows.where(F.col("aggregate").isNull() | (F.col("aggregate") == aggregate))
        return rows.select(*self._read(name).columns)

    def _of_aggregates(self, name: str) -> DataFrame:
        """A table with the `aggregate` of its subjects; null where it does not say."""
        rows = self._read(name)
        if name.startswith((_STATE, _TRUTH)):
            return rows.withColumn("aggregate", F.lit(name.split("_", 1)[1]))
        if "aggregate" not in rows.columns:
            # A run of an earlier version.
            return rows.withColumn("aggregate", F.lit(None).cast("string"))
        return rows

    def _read(self, name: str) -> DataFrame:
        return self.lake.read(self.spark, name)

    def _shown(self, name: str, rows: DataFrame) -> DataFrame:
        return shown(masked(rows, name, self.hidden))

    def _collected(
        self, asked: Mapping[str, DataFrame]
    ) -> tuple[dict[str, list[Row]], dict[str, int]]:
        """By table its first rows, and how many more there are where there are; in one job."""
        if not asked:
            return {}, {}
        texts = []
        for name, rows in asked.items():
            told = F.to_json(F.struct("*"), {"ignoreNullFields": "false"})
            texts.append(rows.limit(self.limit).select(F.lit(name), told))
            texts.append(rows.agg(F.lit(f"#{name}"), F.count("*").cast("string")))
        found: dict[str, list[Row]] = {name: [] for name in asked}
        more = {}
        for name, text in reduce(DataFrame.union, texts).collect():
            if not name.startswith("#"):
                found[name].append(json.loads(text, parse_float=Decimal))
            elif (left := int(text) - self.limit) > 0:
                more[name[1:]] = left
        return found, more


_NAMED_BY = {
    "dispositions": ("source", "table", "key"),
    "timeline": ("migsrcsystem", "migsrctable", "migsrckey"),
    "refused": ("migsrcsystem", "migsrctable", "migsrckey"),
}
"""The tables that name legacy rows, and the columns by which they do."""
