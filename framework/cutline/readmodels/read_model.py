"""The read model of a slice: its versions are built, verified, pointed at and dropped here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from cutline.context import Context, state_name
from cutline.errors import ConfigurationError, RunFailed
from cutline.lake import Lake
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.project.rollout import StatesDatabase
from cutline.readmodels.access import Dependant
from cutline.readmodels.build import build_table, is_ours
from cutline.readmodels.database import KEY, ReadModelDatabase
from cutline.readmodels.differences import ReadTable
from cutline.readmodels.epochs import NOTHING_SEEN, SeenEpochs, seen_epochs
from cutline.readmodels.fed_rows import fed_table
from cutline.readmodels.feed_state import (
    AsideDecision,
    AsideRecord,
    FeedState,
    LiveEvent,
    Place,
    Record,
    Subject,
    aside_counts,
    aside_records,
    chosen_aside,
    decide_aside,
    due_records,
    feed_state,
    holding_records,
    live_events,
)
from cutline.readmodels.feed_tables import EPOCHS, FED_TURNS, FEEDS, RULINGS, forget_feed
from cutline.readmodels.feeding import FeedBatch, feed_version, has_live_rows
from cutline.readmodels.foreign import foreign_writes
from cutline.readmodels.model import ForeignWrite, ReadModelColumn, ReadModelVersion, compared
from cutline.readmodels.moves import refuse_late
from cutline.readmodels.names import SliceNames, slice_names
from cutline.readmodels.records import (
    MOVES,
    SliceName,
    TablePlan,
    TableRecord,
    forget_table,
    newest_move,
    table_record,
    table_records,
    view_records,
    whole_versions,
)
from cutline.readmodels.rulings import AdmittedRecord, admitted_records, rulings, write_rulings
from cutline.readmodels.states import States, states_of
from cutline.readmodels.views import Beside, point_views, pointed_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from sqlalchemy import Connection, Table

_LOG = logger(__name__)

T = TypeVar("T")


def read_model_of(project: LoadedProject, context: Context, region: str) -> ReadModel | None:
    """The read model of a slice; None where cutline.yaml has none. Nothing is opened or made.

    ConfigurationError for a URL that is none, and for names that would be those of another slice.
    """
    section = project.file.rollout.read_model
    return None if section is None else read_model_in(project, section, KEY, context, region)


def read_model_in(
    project: LoadedProject, section: StatesDatabase, key: str, context: Context, region: str
) -> ReadModel:
    """The read model of a slice in the database of a section, which cutline.yaml has under `key`.
    Nothing is opened or made. Raises what `read_model_of` says."""
    names = slice_names(project, section, context, region, key)
    database = ReadModelDatabase.of(project, section, key)
    return ReadModel(database, SliceName(context.name, region), names)


@dataclass(frozen=True)
class ReadModel:
    """Versions of a slice's projected states side by side in a database, and views of one of them.

    `names` has the context's aggregates in their order. Every call has transactions of its own;
    none leaves a connection open.
    """

    database: ReadModelDatabase
    slice: SliceName
    names: SliceNames

    def build(
        self, spark: SparkSession, lake: Lake, version: int, run_id: str, move: int | None = None
    ) -> ReadModelVersion:
        """The version of these states of a run: each table is built, read back and compared.

        What an earlier attempt finished is taken as it is, what it left half built is built anew.
        Services see nothing of it. RunFailed, with the subjects, where a table does not hold what
        was projected; ConfigurationError for what the database refuses or cannot keep. `move` is
        as in `point`.
        """
        frames = {name: lake.read(spark, state_name(name)) for name in self.names.views}
        states = {name: states_of(frame, state_name(name)) for name, frame in frames.items()}
        return self.build_states(states, version, run_id, move)

    def build_states(
        self, states: Mapping[str, States], version: int, run_id: str, move: int | None = None
    ) -> ReadModelVersion:
        """As `build`, of the states of each aggregate, wherever they are from."""
        if version < 1:
            raise ConfigurationError(f"a read model has no version {version}: the first is 1")
        self.database.prepare()
        current, current_columns = self._current()
        records = [
            build_table(
                self.database, self._plan(name, of_name.columns, version, run_id), of_name, move
            )
            for name, of_name in states.items()
        ]
        tables = (
            compared(record.described(), current_columns.get(record.plan.aggregate))
            for record in records
        )
        return ReadModelVersion(
            version=version, run_id=run_id, tables=tuple(tables), compared_with=current
        )

    def verify(self, version: ReadModelVersion) -> tuple[ForeignWrite, ...]:
        """What was written into the version's tables by nobody's event, by table and subject.

        Where Cutline feeds the version, what its feed wrote is compared as well. Where it does not,
        a row whose `cutline_event_id` is not null is that of a service, and not looked at.
        RunFailed where a table is no longer there, or has other columns.
        """
        writes: list[ForeignWrite] = []
        with self.database.look() as connection:
            for table in version.tables:
                record = None if connection is None else table_record(connection, table.table)
                if (
                    connection is None
                    or record is None
                    or (record.plan.run_id, record.digest) != (version.run_id, table.digest)
                    or not self._stands(connection, record)
                ):
                    raise RunFailed(
                        f"table {table.table} of version {version.version} is not in "
                        f"{self.database.address.shown} as it was built: it was dropped, altered, "
                        "or built again",
                        left_behind="Nothing was changed.",
                        next_step="See who dropped or altered it, and build a version anew.",
                    )
                access, columns = self.database.access, record.plan.columns
                fed = fed_table(connection, access, record.plan)
                read = ReadTable(connection, access, table.table, columns, fed)
                for differences in read.differences():
                    writes += foreign_writes(table.table, differences)
        return tuple(writes)

    def point(
        self,
        version: ReadModelVersion | None,
        move: int | None = None,
        beside: Beside | None = None,
    ) -> None:
        """Let the views show the version, all in one transaction; None drops them. `beside` says
        which columns of another version they show as well.

        A reader sees the old rows or the new ones, never neither. `move` counts the changes of the
        slice's rollout: RunFailed, and nothing is changed, where a later one was here.
        """
        if version is None and not self._has_any():
            return
        self.database.prepare()
        point_views(self.database, self.slice, version, move, beside)
        number = None if version is None else version.version
        extra = {"context": self.slice.context, "region": self.slice.region, "version": number}
        _LOG.info("read model pointed", extra=extra)

    def newest_move(self) -> int | None:
        """The newest change of the slice's rollout that was at its read model; None if none was."""
        with self.database.look() as connection:
            if connection is None or self.database.access.kind(connection, MOVES.name) is None:
                return None
            return newest_move(connection, self.slice)

    def pointed(self) -> int | None:
        """The version that the views show, as the database has them; None if there are none."""
        with self.database.look() as connection:
            if connection is None:
                return None
            return pointed_version(self.database, connection, self.slice)

    def dependants(self) -> list[Dependant]:
        """What reads the slice's views within the database, with the columns that it reads; none on
        SQLite, which does not keep them."""
        with self.database.look() as connection:
            if connection is None:
                return []
            return [
                dependant
                for view in view_records(connection, self.slice)
                for dependant in self.database.access.dependants(connection, view.view)
            ]

    def drop(self, version: int, move: int | None = None) -> None:
        """Drop the version's tables, whole or half built; nothing happens if there are none.

        RunFailed for the version that the views show; `move` is as in `point`.
        """
        if not self._has_any():
            return
        self.database.prepare()
        with self.database.write() as connection:
            self.database.lock(connection)
            refuse_late(connection, self.slice, move)
            if pointed_version(self.database, connection, self.slice) == version:
                raise RunFailed(
                    f"version {version} of {self.slice.context} in region {self.slice.region} is "
                    "the one that services read",
                    left_behind="Nothing was dropped.",
                    next_step="Let the views show another version first.",
                )
            for record in table_records(connection, self.slice):
                if record.plan.version != version:
                    continue
                # A table that somebody else put in its place stays.
                if is_ours(self.database, connection, record):
                    self.database.access.drop_table(connection, record.plan.table)
                forget_table(connection, record.plan.table)
            forget_feed(connection, self.slice, version)

    def drop_unless_of(self, version: int, run_id: str, move: int) -> None:
        """Drop the version's tables where they were built, or begun, from another run; `move` is
        as in `point`."""
        with self.database.look() as connection:
            records = [] if connection is None else table_records(connection, self.slice)
        runs = {record.plan.run_id for record in records if record.plan.version == version}
        if runs - {run_id}:
            self.drop(version, move)

    def refuse_before(self, move: int) -> None:
        """From here on nothing of an earlier `move` is built, dropped or shown."""
        self.database.prepare()
        with self.database.write() as connection:
            self.database.lock(connection)
            refuse_late(connection, self.slice, move)

    def numbers(self) -> tuple[int, ...]:
        """The versions of which anything is there, whole or half built, in order."""
        with self.database.look() as connection:
            records = [] if connection is None else table_records(connection, self.slice)
        return tuple(sorted({record.plan.version for record in records}))

    def run_of(self, version: int) -> str | None:
        """The run whose states a version has, whole or half built; None where nothing is there."""
        with self.database.look() as connection:
            records = [] if connection is None else table_records(connection, self.slice)
        return next((r.plan.run_id for r in records if r.plan.version == version), None)

    def versions(self) -> tuple[int, ...]:
        """The versions that are there and whole, in order."""
        with self.database.look() as connection:
            if connection is None:
                return ()
            records = table_records(connection, self.slice)
            lost = {r.plan.version for r in records if not self._stands(connection, r)}
        return tuple(version for version in whole_versions(records) if version not in lost)

    def shown_version(self) -> ReadModelVersion | None:
        """The version that the views show, with its tables; None where they show none."""
        with self.database.look() as connection:
            if connection is None:
                return None
            number = pointed_version(self.database, connection, self.slice)
            records = {
                record.plan.aggregate: record
                for record in table_records(connection, self.slice)
                if record.plan.version == number
            }
        if number is None or not records:
            return None
        tables = [records[name].described() for name in self.names.views if name in records]
        run_id = next(iter(records.values())).plan.run_id
        return ReadModelVersion(version=number, run_id=run_id, tables=tuple(tables))

    def feed(self, version: int, batch: FeedBatch) -> None:
        """Write what live events make of a version, with how far they were read, in one
        transaction. Raises what `feed_version` says."""
        if not self._of_feeds(lambda _: True, False, FED_TURNS):
            # An older version of Cutline made the others.
            self.database.prepare()
        feed_version(self.database, self.slice, version, batch)

    def feed_state(self, version: int) -> FeedState | None:
        """How far a version is fed; None before its first transaction."""
        return self._of_feeds(lambda c: feed_state(c, self.slice, version), None)

    def now(self) -> dt.datetime:
        """The moment by the clock of the database, which dates what is fed."""
        with self.database.read() as connection:
            return self.database.now(connection)

    def live_events(self, version: int, subjects: Iterable[Subject]) -> list[LiveEvent]:
        """The live events that a version has of some subjects."""
        return self._of_feeds(lambda c: list(live_events(c, self.slice, version, subjects)), [])

    def holding_records(self, version: int, subjects: Iterable[Subject]) -> list[AsideRecord]:
        """The records that are put aside and hold what comes behind them, of some subjects."""
        return self._of_feeds(lambda c: holding_records(c, self.slice, version, subjects), [])

    def due_records(self, version: int, limit: int) -> list[AsideRecord]:
        """Of what is put aside, what is to be decided about again; at most `limit` of it."""
        return self._of_feeds(lambda c: due_records(c, self.slice, version, limit), [])

    def aside_records(self, version: int, limit: int) -> list[AsideRecord]:
        """The records that are not applied to a version and not given up, at most `limit`."""
        return self._of_feeds(lambda c: aside_records(c, self.slice, version, limit), [])

    def seen_epochs(self) -> SeenEpochs:
        """What the feeds of all versions of the slice saw of its epochs."""
        return self._of_feeds(lambda c: seen_epochs(c, self.slice), NOTHING_SEEN, EPOCHS)

    def rulings(
        self, topic_ids: Mapping[Place, str], records: Iterable[Record]
    ) -> dict[Record, str]:
        """What people decided of some records, for whatever version: `admitted` or `discarded`."""
        return self._of_feeds(lambda c: rulings(c, self.slice, topic_ids, records), {}, RULINGS)

    def admitted_records(self) -> list[AdmittedRecord]:
        """The records of live topics that people had applied, in order, for whatever version."""
        return self._of_feeds(lambda c: admitted_records(c, self.slice), [], RULINGS)

    def aside_counts(self, version: int) -> dict[str, int]:
        """By rule, how many records are not applied to a version and not given up."""
        return self._of_feeds(lambda c: aside_counts(c, self.slice, version), {})

    def has_live_rows(self, version: int) -> bool:
        """Whether a live event wrote any row of a version: the feed's or a service's."""
        with self.database.look() as connection:
            if connection is None:
                return False
            records = table_records(connection, self.slice)
            return any(
                has_live_rows(connection, record.plan.table)
                for record in records
                if record.plan.version == version and self._stands(connection, record)
            )

    def decide_aside(self, record: str, saying: AsideDecision) -> int:
        """Say something of a record by its place, or of all of a rule; of how many it was.

        It holds for every version that meets the record.
        """
        self.database.prepare()
        with self.database.write() as connection:
            self.database.lock(connection)
            now = self.database.now(connection).isoformat(timespec="milliseconds")
            chosen = chosen_aside(connection, self.slice, record)
            write_rulings(connection, self.slice, chosen, now, saying)
            return decide_aside(connection, self.slice, record, now, saying)

    def _of_feeds(self, read: Callable[[Connection], T], nothing: T, table: Table = FEEDS) -> T:
        """What `read` gives of a table of feeds; `nothing` where it was never made."""
        with self.database.look() as connection:
            is_there = connection is not None and (
                self.database.access.kind(connection, table.name) == "table"
            )
            return read(connection) if connection is not None and is_there else nothing

    def _plan(
        self, aggregate: str, columns: tuple[ReadModelColumn, ...], version: int, run_id: str
    ) -> TablePlan:
        return TablePlan(
            self.slice,
            aggregate,
            version,
            run_id,
            self.names.table(aggregate, version),
            self.names.views[aggregate],
            columns,
        )

    def _current(self) -> tuple[int | None, dict[str, tuple[ReadModelColumn, ...]]]:
        """The version that services read, and its columns by aggregate."""
        with self.database.read() as connection:
            current = pointed_version(self.database, connection, self.slice)
            records = table_records(connection, self.slice)
        plans = (record.plan for record in records if record.plan.version == current)
        return current, {plan.aggregate: plan.columns for plan in plans}

    def _has_any(self) -> bool:
        with self.database.look() as connection:
            return connection is not None

    def _stands(self, connection: Connection, record: TableRecord) -> bool:
        return is_ours(self.database, connection, record)
