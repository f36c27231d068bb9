"""A read model that live events are fed into: a literal history, and live topics in files."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from sqlalchemy import create_engine

from cutline.context import (
    Aggregate,
    Context,
    Event,
    last_of_types,
    latest,
    requires,
    total,
)
from cutline.control import RunRecord, Tenure
from cutline.control.records import StageRecord
from cutline.engine.merge import IS_ACCEPTED, split_by_verdict, with_verdicts
from cutline.engine.project import project as projected
from cutline.engine.project import state_table
from cutline.feed import CycleDone, VersionFeed
from cutline.feed.files import FileTail
from cutline.feed.tail import TopicTail
from cutline.identity import canonical_json, fact_key
from cutline.lake import Lake
from cutline.project import LoadedProject
from cutline.project.model import ProjectFile
from cutline.readmodels import ReadModel, ReadModelVersion, read_model_of
from cutline.results import ExtractResult, FileRead
from cutline.tables import REFUSED, TIMELINE
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    column,
    fact,
    table,
)
from cutline.workspace import Workspace
from support.merge.candidates import at, candidate, frame
from support.recorded import T0

REGION = "eu-west"


def new_side_since(epoch: int) -> tuple[Tenure, ...]:
    """The tenures of a slice whose new side has had the writes under each epoch up to one."""
    return tuple(Tenure("new", number, T0) for number in range(epoch + 1))


TENURES = new_side_since(7)


class Ordered(Event):
    """An order was placed."""

    cents: int


class Paid(Event):
    """A payment came in."""

    identified_by: ClassVar[tuple[str, ...]] = ("payment",)

    payment: str
    amount: int


class Noted(Event):
    """Somebody wrote a note on an order."""

    note: str


class Withdrawn(Event):
    """An order is gone."""


ORDER = Aggregate(
    name="order",
    doc="One order.",
    events=(Ordered, Paid, Noted, Withdrawn),
    state={
        "status": last_of_types({Ordered: "open", Paid: "paid"}),
        "cents": latest("cents", Ordered),
        "paid": total("amount", [Paid]),
        "note": latest("note", Noted),
    },
    order=(requires(Paid, first=Ordered),),
    ended_by=(Withdrawn,),
)
CONTEXT = Context("desk", "An order desk.", (ORDER,))
TOPIC = "desk.desk.order.live"


class Sheet(SourceContract):
    """One row is one order."""

    no: T.StringType = column(doc="number", nullable=False)
    cents: T.LongType = column(doc="cents")

    class Config:
        metadata = table("old", "sheets", key=["no"])


class Orders(Translator):
    """Orders."""

    context = CONTEXT
    aggregate = "order"
    version = "1.0.0"
    source = Sheet
    subject = "no"

    @fact(Ordered)
    def ordered(self, row):
        """An order."""
        return Occurrence(when=row.no.isNotNull(), data={"cents": row.cents})


DESK = Translation("desk", "1.0.0", CONTEXT, (Orders,))


def event(id: str, type: str, hour: float, subject: str = "o1", **data: Any) -> dict[str, Any]:
    """A live event, as its record has it."""
    return {
        "headers": {
            "ce_specversion": "1.0",
            "ce_id": id,
            "ce_source": "urn:desk",
            "ce_type": type,
            "ce_subject": subject,
            "ce_time": at(hour).isoformat().replace("+00:00", "Z"),
            "content-type": "application/json",
        },
        "key": subject,
        "value": data,
    }


def epoch(record: dict[str, Any], number: object) -> dict[str, Any]:
    """The event as written under an epoch of the slice."""
    headers = record["headers"] | {
        "ce_migepoch": str(number),
        "ce_migcontext": CONTEXT.name,
        "ce_migregion": REGION,
    }
    return record | {"headers": headers}


def of_region(region: str, record: dict[str, Any]) -> dict[str, Any]:
    """The event as one of a region."""
    return record | {"headers": record["headers"] | {"ce_migregion": region}}


def ordered(id: str, hour: float, subject: str = "o1", cents: int = 100) -> dict[str, Any]:
    return event(id, "Ordered", hour, subject, cents=cents)


def paid(id: str, hour: float, subject: str = "o1", amount: int = 1, **more: Any) -> dict[str, Any]:
    return event(id, "Paid", hour, subject, payment=more.pop("payment", id), amount=amount, **more)


def withdrawn(id: str, hour: float, subject: str = "o1") -> dict[str, Any]:
    return event(id, "Withdrawn", hour, subject)


def historic(record: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The candidate of history that announces the same fact as a live event, under another id."""
    headers, value = record["headers"], record["value"]
    kind, subject = headers["ce_type"], headers["ce_subject"]
    occurrence = canonical_json([value["payment"]]) if kind == "Paid" else None
    hour = (dt.datetime.fromisoformat(headers["ce_time"]) - at(0)) / dt.timedelta(hours=1)
    values = {
        "subject": subject,
        "partitionkey": subject,
        "aggregate": "order",
        "data": json.dumps(value, separators=(",", ":")),
        "migfactkey": fact_key(CONTEXT.name, kind, subject, occurrence),
    }
    return candidate(f"h-{headers['ce_id']}", kind, hour, **(values | more))


def candidate_of(record: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The candidate that a live event is."""
    native = {
        "id": record["headers"]["ce_id"],
        "source": record["headers"]["ce_source"],
        "migorigin": "native",
        "migreplaysafe": True,
        **dict.fromkeys(("sequence", "migtranslator", "migtranslatorver")),
    }
    return historic(record) | native | more


class FedDesk:
    """A slice whose version 1 was built from a literal history, and the process that feeds it."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        history: Sequence[dict[str, Any]] = (),
        url: str = "sqlite:///readmodel.db",
        tail: TopicTail | None = None,
        **positions: str,
    ) -> None:
        self.spark, self.folder, self.url = spark, folder, url
        self.tail, self.positions = tail, positions
        self.project = self._project()
        self.lake = Lake(str(folder / "lake" / "run-1"))
        self.read: tuple[FileRead, ...] = ()
        merged = split_by_verdict(with_verdicts(frame(spark, history), CONTEXT))
        self.lake.write_both(merged, IS_ACCEPTED, TIMELINE, REFUSED)
        timeline = self.lake.read(spark, TIMELINE)
        self.lake.write(projected(timeline, ORDER), state_table(ORDER))
        self.version: ReadModelVersion = self.model().build(spark, self.lake, 1, "run-1")
        self.model().point(self.version)

    def model(self) -> ReadModel:
        model = read_model_of(self.project, CONTEXT, REGION)
        assert model is not None
        return model

    def append_records(self, *records: dict[str, Any] | str, partition: int = 0) -> None:
        """Live records behind those of a partition; a text is a line as it stands."""
        path = self.folder / "topics" / TOPIC / f"{partition:05d}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for record in records:
                file.write(record if isinstance(record, str) else json.dumps(record) + "\n")

    def run_read_everything(self) -> None:
        """The run of the version read the live topics as they are now."""
        folder = self.folder / "topics" / TOPIC
        self.read = tuple(
            FileRead(name=p.name, bytes=p.stat().st_size, lines=0, sha256="")
            for p in sorted(folder.glob("*.jsonl"))
        )

    def feeder(self) -> VersionFeed:
        """What a process has that begins to feed now."""
        workspace = Workspace(
            run_id="run-1",
            region=REGION,
            project=self.project,
            context=CONTEXT,
            translation=DESK,
            lake=self.lake,
            recorded_at=T0,
            positions=self.positions,
            done={},
        )
        extract = ExtractResult(rows_in=0, rows_out=0, files={"live:order": self.read})
        stage = StageRecord("extract", "done", T0, T0, 1.0, 0, 0, None, extract)
        inputs = {"positions": self.positions}
        record = RunRecord(
            *("run-1", CONTEXT.name, REGION, "complete", "go", None, T0, T0, T0, inputs, None),
            stages=(stage,),
        )
        tail = self.tail or FileTail(self.project, CONTEXT.name)
        return VersionFeed(workspace, record, self.model(), self.version, tail, "cutline run")

    def feed(self, tenures: Sequence[Tenure] = TENURES) -> CycleDone:
        """All that is there."""
        feeder, done = self.feeder(), CycleDone()
        while True:
            done += feeder.next(lambda: tenures)
            if not done.left:
                return done

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """What the database of the read model answers."""
        file = f"sqlite:///{self.folder / 'readmodel.db'}"
        is_file = self.url.startswith("sqlite")
        engine = create_engine(file if is_file else self.url.replace(":", "+psycopg:", 1))
        try:
            with engine.begin() as connection:
                return [tuple(row) for row in connection.exec_driver_sql(sql)]
        finally:
            engine.dispose()

    def shown(self) -> dict[str, tuple[Any, ...]]:
        """By order, what the view shows of it: status, cents, paid and how many events."""
        rows = self.query(f'SELECT subject, status, cents, paid, events FROM "order_{REGION}"')
        return {subject: tuple(values) for subject, *values in rows}

    def event_ids(self) -> dict[str, str | None]:
        """By order that the table has, the live event that wrote it last."""
        return dict(self.query(f'SELECT subject, cutline_event_id FROM "order_{REGION}_v1"'))

    def aside(self) -> list[tuple[Any, ...]]:
        """What is put aside: rule, subject, decision."""
        sql = "SELECT rule, subject, decision FROM cutline_read_model_aside ORDER BY partition, position"
        return self.query(sql)

    def _project(self) -> LoadedProject:
        content = {
            "version": 1,
            "name": "desk",
            "topics": {"prefix": "desk", "partitions": 2},
            "sources": {
                "old": {"kind": "csv", "path": "old", "tables": {"sheets": {"path": "s.csv"}}}
            },
            "contexts": {
                "desk": {
                    "translation": {"use": "desk", "major": 1},
                    "cut": {"policy": "commit-timestamp", "at": "2026-11-01T06:00:00Z"},
                    "live": {"aggregates": ["order"]},
                }
            },
            "regions": {REGION: {}},
            "lake": "lake",
            "rollout": {"read_model": {"url": self.url}},
        }
        path = self.folder / "cutline.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
        return LoadedProject(ProjectFile.model_validate(content), self.folder, path, None)


def states_of(spark: SparkSession, candidates: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What one merge and projection of everything gives: by order, what the view would show."""
    accepted: DataFrame = split_by_verdict(with_verdicts(frame(spark, candidates), CONTEXT)).where(
        IS_ACCEPTED
    )
    rows = projected(accepted, ORDER).select("subject", "status", "cents", "paid", "events")
    return {row[0]: tuple(row)[1:] for row in rows.collect()}
