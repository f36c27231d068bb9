"""The repair shop's history on change topics, as Debezium sends it: a topic for each table, and one
for the ends of transactions."""

from __future__ import annotations

import datetime as dt
import json
import random
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from cutline.kafka.base_inputs import BaseInputs
from cutline.project.loaded import LoadedProject
from cutline.results import ExtractResult
from cutline.sources.frozen import FrozenInputs, freeze_inputs
from cutline.translator import Translation
from support.advanced import GrowingSlice
from support.repairs import LOGS
from support.servers.kafka import KafkaBroker, Record

PARTITIONS = 2
_UNAVAILABLE = "__debezium_unavailable_value"
_OPERATIONS = {"I": "c", "U": "u", "D": "d"}
_KEYS = {"ticket": "no", "item": "id", "customer": "id", "tier": "customer"}

Headers = tuple[tuple[str, bytes], ...]
Place = tuple[str, int]
"""A table, or `transaction`, and a partition."""


class ChangeTopics:
    """The topics of one drawn history, and how far they were sent.

    `records` are those of each log by their place, `ends` how many each place has behind each
    transaction.
    """

    def __init__(
        self, broker: KafkaBroker, prefix: str, lines: Mapping[str, Sequence[str]]
    ) -> None:
        self.broker, self.prefix = broker, prefix
        self.records: dict[str, dict[Place, list[Record]]] = {log: {} for log in lines}
        self.ends: dict[str, list[dict[Place, int]]] = {log: [] for log in lines}
        for log, of_log in lines.items():
            self._convert(log, [json.loads(line) for line in of_log])
        self._sent: Counter[tuple[str, Place]] = Counter()
        for log, tables in LOGS.items():
            for table in tables:
                broker.create_topic(self.topic(log, table), PARTITIONS)
            broker.create_topic(self.topic(log, "transaction"))

    def topic(self, log: str, name: str) -> str:
        """The topic of a table, or of the ends of transactions."""
        schema = "" if name == "transaction" else "public."
        return f"{self.prefix}.{log}.{schema}{name}"

    def send(self, log: str, until: Mapping[Place, int]) -> None:
        """Send what each place of a log has up to a number of records."""
        for place, records in self.records[log].items():
            start = self._sent[log, place]
            end = max(start, until.get(place, start))
            self.broker.produce(self.topic(log, place[0]), records[start:end])
            self._sent[log, place] = end

    def send_again(self, log: str, share: float) -> None:
        """Send again what came after about this share, as a connector does that was restarted."""
        start = self.whole(log, share)
        for place, records in self.records[log].items():
            again = records[start.get(place, 0) : self._sent[log, place]]
            self.broker.produce(self.topic(log, place[0]), again)

    def whole(self, log: str, share: float) -> dict[Place, int]:
        """About so far, in whole transactions."""
        ends = self.ends[log]
        number = int(len(ends) * share)
        return dict(ends[number - 1]) if number else {}

    def somewhere(self, log: str, share: float, rng: random.Random) -> dict[Place, int]:
        """About so far, with rows of some later transactions, of which the ends are not there."""
        ends, until = self.ends[log], self.whole(log, share)
        number = int(len(ends) * share)
        for place in self.records[log]:
            if place[0] != "transaction":
                ahead = ends[min(len(ends) - 1, number + rng.randint(0, 3))]
                until[place] = max(until.get(place, 0), ahead.get(place, 0))
        return until

    def everything(self, log: str) -> dict[Place, int]:
        """All that a log has."""
        return {place: len(records) for place, records in self.records[log].items()}

    def _convert(self, log: str, lines: Sequence[Mapping[str, Any]]) -> None:
        records, previous = self.records[log], 0
        for table in (*LOGS[log], "transaction"):
            for partition in range(1 if table == "transaction" else PARTITIONS):
                records[table, partition] = []
        for transaction in _transactions(lines):
            number = transaction[0]["xid"]
            of_id = f"{number}:{number}"
            self._end(log, {"status": "BEGIN", "id": of_id, "ts_ms": 1})
            counts: Counter[str] = Counter()
            for order, line in enumerate(transaction[1:-1], 1):
                counts[f"public.{line['table']}"] += 1
                source = {
                    "schema": "public",
                    "table": line["table"],
                    "txId": number,
                    "lsn": _lsn(line["lsn"]),
                    "sequence": json.dumps([str(previous), str(_lsn(line["lsn"]))]),
                    "ts_ms": _millis(line["timestamp"]),
                    "snapshot": "false",
                }
                total = {"id": of_id, "total_order": order}
                total["data_collection_order"] = counts[f"public.{line['table']}"]
                for key, value, headers in _changes(line, {"source": source, "transaction": total}):
                    place = line["table"], zlib.crc32(key) % PARTITIONS
                    records[place].append(Record(key, value, headers, place[1]))
            collections = [
                {"data_collection": name, "event_count": count} for name, count in counts.items()
            ]
            end = {"status": "END", "id": of_id, "ts_ms": 1, "event_count": counts.total()}
            self._end(log, {**end, "data_collections": collections})
            previous = _lsn(transaction[-1]["lsn"])
            self.ends[log].append({place: len(of_place) for place, of_place in records.items()})

    def _end(self, log: str, boundary: Mapping[str, Any]) -> None:
        key = json.dumps({"id": boundary["id"]}).encode()
        self.records[log]["transaction", 0].append(
            Record(key, json.dumps(boundary).encode(), (), 0)
        )


def _transactions(lines: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    transaction: list[Mapping[str, Any]] = []
    for line in lines:
        transaction.append(line)
        if line["action"] == "C":
            yield transaction
            transaction = []


def _changes(
    line: Mapping[str, Any], about: Mapping[str, Any]
) -> Iterator[tuple[bytes, bytes | None, Headers]]:
    """The records of one change: of a changed key those of both halves, with a tombstone."""
    name = _KEYS[line["table"]]
    after = {cell["name"]: cell["value"] for cell in line.get("columns", ())} or None
    before = {cell["name"]: cell["value"] for cell in line.get("identity", ())}
    if after is not None and line["table"] == "ticket":
        after = {"note": _UNAVAILABLE, **after}
    old, new = _key(name, before or after or {}), _key(name, after or before)
    if line["action"] == "U" and old != new:
        deleted = _value({**about, "op": "d", "before": before, "after": None})
        yield old, deleted, (("__debezium.newkey", new),)
        yield old, None, ()
        created = _value({**about, "op": "c", "before": None, "after": after})
        yield new, created, (("__debezium.oldkey", old),)
        return
    image = before if line["action"] == "D" else None
    operation = _OPERATIONS[line["action"]]
    yield new, _value({**about, "op": operation, "before": image, "after": after}), ()
    if line["action"] == "D":
        yield new, None, ()


def _key(name: str, row: Mapping[str, Any]) -> bytes:
    return json.dumps({name: row[name]}).encode()


def _value(change: Mapping[str, Any]) -> bytes:
    return json.dumps(change).encode()


def _lsn(text: str) -> int:
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)


def _millis(text: str) -> int:
    return int(dt.datetime.fromisoformat(text).timestamp() * 1000)


class GrowingTopics(GrowingSlice):
    """A slice whose sources are change topics alone; with `ends` also those of transactions.

    `live` is a topic of tickets' live events.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        translation: Translation,
        topics: ChangeTopics,
        *,
        ends: bool,
        live: str | None = None,
    ) -> None:
        super().__init__(spark, folder, translation)
        self._topics, self._ends, self._live = topics, ends, live

    def frozen(self, project: LoadedProject) -> AbstractContextManager[FrozenInputs]:
        """The inputs of a run, behind what the last run read."""
        base = None
        if self.runs:
            extract = self.runs[-1].done["extract"]
            assert isinstance(extract, ExtractResult)
            base = BaseInputs(self.positions, extract.topics)
        return freeze_inputs(project, self.translation, "all", (), base)

    def context(self) -> dict[str, Any]:
        """The context in cutline.yaml, whose cut is before the live events."""
        if self._live is None:
            return super().context()
        records = {"ticket": {"topic": self._live}}
        kafka = {"bootstrap": self._topics.broker.bootstrap}
        live = {"aggregates": ["ticket"], "kafka": kafka, "records": records}
        return {**super().context(), "live": live}

    def changes(self, source: str) -> dict[str, Any]:
        """The changes of a source in cutline.yaml."""
        topics = self._topics
        transactions = {"transactions": topics.topic(source, "transaction")} if self._ends else {}
        return {
            "kind": "debezium",
            "topics": [topics.topic(source, table) for table in LOGS[source]],
            "kafka": {"bootstrap": topics.broker.bootstrap},
            "snapshot": {"policy": "in-log"},
            **transactions,
        }
