"""What an added handler would be given of the past, and what stands in its way."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Inspector, inspect

from cutline.consumer.handover.added import Writable, WritableTable
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.handover import HandoverSection, HandoverWay
from cutline.reconsume.planning import offsets_since, refuse_future
from cutline.topics.kafka.group import NOTHING_MOVED, GroupOnTopic


@dataclass(frozen=True)
class PartitionCatchUp:
    """A partition of which the past is read: from offset `first` on. The service's group has
    committed `live`, and is `lag` offsets behind the end."""

    partition: int
    first: int
    live: int
    lag: int

    @property
    def offsets(self) -> int:
        """How many offsets lie between the two, as things are."""
        return self.live - self.first


@dataclass(frozen=True)
class HandoverPlan:
    """The partitions in their order, what the added handler may write, and what people should know
    before they begin."""

    partitions: Sequence[PartitionCatchUp]
    writable: Writable
    warnings: Sequence[str]


def handover_plan(
    group: GroupOnTopic,
    section: HandoverSection,
    connection: Connection,
    way: HandoverWay,
    since: dt.datetime | None,
    now: dt.datetime,
) -> HandoverPlan:
    """What a catch-up from a moment on, or from the beginning where that is null, would read.

    ConfigurationError for a moment in the future, where retention has removed what may be of it,
    where there is nothing to read, and for a table or column that is not in the service's database.
    """
    refuse_future(since, now)
    inspector = inspect(connection)
    writable = _writable(section, inspector, f"handovers.{group.name}")
    committed, bounds = group.progress(), group.bounds()
    live = {number: committed.get(number, at.first) for number, at in bounds.items()}
    first = offsets_since(group, live, since)
    partitions = [
        PartitionCatchUp(
            n,
            max(bounds[n].first, min(first[n], live[n])),
            max(bounds[n].first, live[n]),
            max(0, bounds[n].stable - live[n]),
        )
        for n in sorted(bounds)
    ]
    if not any(partition.offsets for partition in partitions):
        raise ConfigurationError(
            f"group {group.name} has read nothing of topic {group.topic} from "
            f"{'its beginning' if since is None else since.isoformat()} on: there is no past to "
            "give to an added handler",
            left_behind=NOTHING_MOVED,
            next_step="Give an earlier moment.",
        )
    warnings = [*_references(section, inspector), *_warnings(group, way, partitions)]
    return HandoverPlan(partitions, writable, warnings)


def _warnings(
    group: GroupOnTopic, way: HandoverWay, partitions: Sequence[PartitionCatchUp]
) -> list[str]:
    warnings = []
    if way == "beside":
        warnings.append(
            "two processes handle records of one key at once: the added handler must give the same "
            "in whatever order they come"
        )
    lag = sum(partition.lag for partition in partitions)
    if lag:
        warnings.append(
            f"group {group.name} is {lag:,} offsets behind: the catch-up never passes it, and what "
            "the service has not read when they meet, the service handles with both"
        )
    return warnings


def _references(section: HandoverSection, inspector: Inspector) -> list[str]:
    """A sentence for each foreign key that what is added would have to meet."""
    return [
        f"{table}.{', '.join(reference['constrained_columns'])} references "
        f"{reference['referred_table']}: what a record of the past names may be gone by now, and "
        "then the write fails"
        for table in (*section.fields, *section.tables)
        for reference in inspector.get_foreign_keys(table)
        if set(reference["constrained_columns"]) & set(section.fields.get(table, ()))
        or table in section.tables
    ]


def _writable(section: HandoverSection, inspector: Inspector, key: str) -> dict[str, WritableTable]:
    """What the added handler may write; ConfigurationError for what is declared and not there."""
    names = inspector.get_table_names()
    writable = {}
    for table in (*section.fields, *section.tables):
        if table not in names:
            place = f"{key}.{'fields' if table in section.fields else 'tables'}"
            raise ConfigurationError(
                f"{place}: the service's database has no table {table}."
                f"{did_you_mean(table, names)}",
                left_behind=NOTHING_MOVED,
                next_step="Make the table first, or mend its name in cutline.yaml.",
            )
        primary = inspector.get_pk_constraint(table)["constrained_columns"]
        columns = [column["name"] for column in inspector.get_columns(table)]
        if not primary:
            raise ConfigurationError(
                f"{key}: table {table} has no primary key, by which a record finds its row",
                left_behind=NOTHING_MOVED,
                next_step="Give it one.",
            )
        _refuse_columns(section.fields.get(table, ()), columns, primary, f"{key}.fields.{table}")
        rest = [name for name in columns if name not in primary]
        fields = list(section.fields.get(table, rest))
        writable[table] = WritableTable(
            key=list(primary), columns=fields, rows=table in section.tables
        )
    return writable


def _refuse_columns(
    fields: Sequence[str], columns: Sequence[str], primary: Sequence[str], key: str
) -> None:
    for field in fields:
        if field not in columns or field in primary:
            reason = "is of its primary key" if field in columns else "is not there"
            raise ConfigurationError(
                f"{key}: column {field} {reason}.{did_you_mean(field, columns)}",
                left_behind=NOTHING_MOVED,
                next_step="Add the column first, or mend its name in cutline.yaml.",
            )
