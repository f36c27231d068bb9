"""The whole history of one subject, from the tables of a run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.api.explain.history import SubjectHistory, TableRow
from cutline.api.explain.links import (
    breaks_depended_on,
    breaks_looked_at,
    rows_put_aside,
)
from cutline.api.tables.declared import aggregates_of, masking_of
from cutline.api.tables.readable import readable
from cutline.context import Aggregate
from cutline.control import RunRecord
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.masking import Masking
from cutline.masking.frames import masked_table
from cutline.project import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.stages.wholes import read_wholes
from cutline.tables import LINKS
from cutline.tables.breaks import OUTCOME, STATE
from cutline.tables.change import changes_name

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
"""The tables with rows of a subject, in the order in which they are shown."""
_MORE = (
    *("clusters", "looks_at", "depends_on", "put_aside", "looked_at_by", "depended_on_by"),
    "parts",
)
"""Further sections of a subject: the clusters of its breaks; the breaks on which its decisions and
its states depend; excluded rows and events among their feeds; decisions and states that depend
on the subject; and its parts.
"""
_NEAR = 3
_STATE, _TRUTH = "state_", "truth_"


def subject_history(
    project: LoadedProject,
    record: RunRecord,
    subject: str,
    limit: int,
    aggregate: str | None = None,
) -> SubjectHistory:
    """The rows of a run about a subject, in a few Spark jobs that read these rows only.

    Rows of another aggregate's subject with the same id are left out; rows without an aggregate are
    shown. ConfigurationError where several aggregates have the id and none is given, and where the
    run has no row, with subjects of similar ids.
    """
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    tables = _SubjectTables(spark, lake, masking_of(record.context), _written(record), limit)
    aggregates = tables.aggregates_of(subject)
    if aggregate is None and len(aggregates) > 1:
        raise ConfigurationError(
            f"{subject!r} is a subject of {' and of '.join(aggregates)}.",
            next_step=f"Say which is meant, such as: cutline explain {shlex.quote(subject)} "
            f"--aggregate {aggregates[0]}",
        )
    owner = aggregate or next(iter(aggregates), None)
    if aggregate is not None and aggregate not in aggregates:
        raise _nowhere(tables, subject, record, aggregate)
    rows, more = tables.at_subject(subject, owner, aggregates_of(record.context))
    if not any(rows.values()):
        raise _nowhere(tables, subject, record)
    changes, more_changes = tables.at_rows(subject, owner)
    sections = {name: rows.get(name, []) for name in (*SECTIONS, *_MORE)}
    return SubjectHistory(
        subject,
        owner,
        record,
        {"changes": changes, **sections},
        _by_aggregate(rows, _STATE),
        _by_aggregate(rows, _TRUTH),
        more | more_changes,
    )


def _by_aggregate(tables: Mapping[str, Sequence[TableRow]], prefix: str) -> dict[str, TableRow]:
    """The single row by aggregate, of those that have one."""
    return {
        n.removeprefix(prefix): rows[0]
        for n, rows in tables.items()
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
    tables: _SubjectTables, subject: str, record: RunRecord, aggregate: str | None = None
) -> ConfigurationError:
    near = tables.near(subject)
    hint = f" Near to it: {', '.join(near)}." if near else ""
    searched = [name for name in tables.names if _names_subjects(name)]
    return ConfigurationError(
        f"Run {record.run_id} of {record.context} {record.region} has no subject {subject!r} "
        f"{f'of aggregate {aggregate!r} ' if aggregate else ''}in "
        f"{', '.join(searched) or 'any table, for no stage is complete'}.{hint}",
        next_step="A subject is written as its aggregate writes it, such as SO-1, or SO-1/2 of a "
        "line.",
    )


def _names_subjects(table: str) -> bool:
    return table in SECTIONS or table.startswith((_STATE, _TRUTH))


@dataclass(frozen=True)
class _SubjectTables:
    """The tables of one run, searched for a subject."""

    spark: SparkSession
    lake: Lake
    hidden: Masking
    names: tuple[str, ...]
    limit: int
    _frames: dict[str, DataFrame] = field(default_factory=dict, repr=False, compare=False)

    def aggregates_of(self, subject: str) -> list[str]:
        """The aggregates that have a subject of this id, sorted: few, for they are declared."""
        frames = [
            rows.where(F.col("subject") == subject).select("aggregate")
            for name in self.names
            if _names_subjects(name)
            for rows in [self._of_aggregates(name)]
        ]
        if not frames:
            return []
        every = reduce(DataFrame.union, frames).dropna().distinct()
        return sorted(row[0] for row in every.collect())

    def at_subject(
        self, subject: str, aggregate: str | None, aggregates: Sequence[Aggregate]
    ) -> tuple[dict[str, list[TableRow]], dict[str, int]]:
        """The rows of every table about the subject of the aggregate, and those of _MORE.

        Its parts are the declared ones.
        """
        frames = {}
        for name in self.names:
            if _names_subjects(name):
                rows = self._shown(name, self._of(name, subject, aggregate))
                frames[name] = rows.orderBy(*SECTIONS.get(name, ("subject",)))
        if {"clusters", "breaks"} <= set(self.names):
            mine = self._of("breaks", subject, aggregate).select("cluster")
            clusters = self._read("clusters").join(mine, "cluster", "left_semi")
            frames["clusters"] = self._shown("clusters", clusters).orderBy("by_count")
        if {"links", "breaks"} <= set(self.names):
            frames |= self._links(subject, aggregate)
        parts = read_wholes(self.lake, self.spark, aggregates)
        if parts is not None and aggregate is not None:
            whole = (F.col("whole_aggregate") == aggregate) & (F.col("whole") == subject)
            parts_of_whole = parts.where(whole).select("subject", "aggregate")
            frames["parts"] = self._shown("parts", parts_of_whole).orderBy("subject", "aggregate")
        return self._collected(frames)

    def _links(self, subject: str, aggregate: str | None) -> dict[str, DataFrame]:
        """The links in which the subject is fed, and those in which it feeds."""
        links, breaks = self.lake.read(self.spark, LINKS), self._read("breaks")
        mine, theirs = links.where(F.col("subject") == subject), F.col("by_subject") == subject
        if aggregate is not None:
            mine = mine.where(F.col("aggregate").isNull() | (F.col("aggregate") == aggregate))
            theirs &= F.col("by_name") == aggregate
        fed = self._shown("links", links.where(theirs))
        order = ("by_name", "by_level", "by_kind", "by_column", "name", "subject")
        of_level = {"looked_at_by": OUTCOME, "depended_on_by": STATE}
        return {
            "looks_at": breaks_looked_at(mine, breaks, self._shown),
            "depends_on": breaks_depended_on(mine, breaks, self._shown),
            "put_aside": rows_put_aside(mine, self._shown),
            **{
                name: fed.where(F.col("level") == level).orderBy(*order)
                for name, level in of_level.items()
            },
        }

    def at_rows(self, subject: str, aggregate: str | None) -> tuple[list[TableRow], dict[str, int]]:
        """The changes of the legacy rows behind the subject, in the order of their positions."""
        keys = [
            self._of(name, subject, aggregate).select(*columns)
            for name, columns in _NAMED_BY.items()
            if name in self.names
        ]
        if not keys:
            return [], {}
        rows = reduce(DataFrame.union, keys).dropna().distinct().limit(self.limit).collect()
        frames = []
        for name in self.names:
            of = [key for source, table, key in rows if changes_name(source, table) == name]
            if of:
                mine = self._read(name).where(F.col("key").isin(of))
                frames.append(self._shown(name, mine))
        if not frames:
            return [], {}
        every = reduce(DataFrame.unionByName, frames)
        tables, more = self._collected({"changes": every.orderBy("position", "source", "table")})
        return tables["changes"], more

    def near(self, subject: str) -> list[str]:
        """Subjects with similar ids; none where subjects may be personal."""
        names = [n for n in ("dispositions", "timeline", "breaks") if n in self.names]
        if not names or self.hidden.hides_subject(None):
            return []
        every = reduce(DataFrame.union, [self._read(n).select("subject") for n in names])
        far = F.levenshtein(F.col("subject"), F.lit(subject))
        nearest = every.where(far <= max(2, len(subject) // 4)).distinct()
        return [row[0] for row in nearest.orderBy(far, "subject").limit(_NEAR).collect()]

    def _of(self, name: str, subject: str, aggregate: str | None) -> DataFrame:
        """The rows of a table with the subject, of its aggregate or without one."""
        rows = self._of_aggregates(name).where(F.col("subject") == subject)
        if aggregate is not None:
            rows = rows.where(F.col("aggregate").isNull() | (F.col("aggregate") == aggregate))
        return rows.select(*self._read(name).columns)

    def _of_aggregates(self, name: str) -> DataFrame:
        """A table with the `aggregate` of its subjects; null where it has none."""
        rows = self._read(name)
        if name.startswith((_STATE, _TRUTH)):
            return rows.withColumn("aggregate", F.lit(name.split("_", 1)[1]))
        if "aggregate" not in rows.columns:
            # A run of an earlier version.
            return rows.withColumn("aggregate", F.lit(None).cast("string"))
        return rows

    def _read(self, name: str) -> DataFrame:
        """A table of the run. Spark asks its files for its columns, by a job: so it asks once."""
        if name not in self._frames:
            self._frames[name] = self.lake.read(self.spark, name)
        return self._frames[name]

    def _shown(self, name: str, rows: DataFrame) -> DataFrame:
        return readable(masked_table(rows, name, self.hidden))

    def _collected(
        self, frames: Mapping[str, DataFrame]
    ) -> tuple[dict[str, list[TableRow]], dict[str, int]]:
        """By table its first rows, and the number of further rows, in one job."""
        if not frames:
            return {}, {}
        texts = []
        for name, rows in frames.items():
            as_text = F.to_json(F.struct("*"), {"ignoreNullFields": "false"})
            texts.append(rows.limit(self.limit).select(F.lit(name), as_text))
            texts.append(rows.agg(F.lit(f"#{name}"), F.count("*").cast("string")))
        tables: dict[str, list[TableRow]] = {name: [] for name in frames}
        more = {}
        for name, text in reduce(DataFrame.union, texts).collect():
            if not name.startswith("#"):
                tables[name].append(json.loads(text, parse_float=Decimal))
            elif (left := int(text) - self.limit) > 0:
                more[name[1:]] = left
        return tables, more


_NAMED_BY = {
    "dispositions": ("source", "table", "key"),
    "timeline": ("migsrcsystem", "migsrctable", "migsrckey"),
    "refused": ("migsrcsystem", "migsrctable", "migsrckey"),
}
"""The tables with legacy rows, and the columns that identify these."""
