"""What people said of records of the live topics: it holds for every version that meets them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, tuple_

from cutline.readmodels.feed_state import ADMITTED, AsideDecision, Place, Record
from cutline.readmodels.feed_tables import POSITIONS, RULINGS, of_slice
from cutline.readmodels.records import SliceName

_AT_ONCE = 300


class AdmittedRecord(NamedTuple):
    """A record of a live topic that is to be applied, whatever its epoch."""

    topic: str
    topic_id: str
    partition: int
    position: int


def rulings(
    connection: Connection,
    slice: SliceName,
    topic_ids: Mapping[Place, str],
    records: Iterable[Record],
) -> dict[Record, str]:
    """What was decided of some records: `admitted` or `discarded`; nothing of the others.

    `topic_ids` has Kafka's id of each partition's topic: of one made anew nothing was said.
    """
    c, wanted = RULINGS.c, set(records)
    positions: dict[Place, list[int]] = {}
    for topic, partition, position in wanted:
        positions.setdefault((topic, partition), []).append(position)
    decided: dict[Record, str] = {}
    for (topic, partition), those in sorted(positions.items()):
        query = select(c.position, c.decision).where(
            *of_slice(RULINGS, slice),
            c.topic == topic,
            c.topic_id == topic_ids.get((topic, partition)),
            c.partition == partition,
            c.position.between(min(those), max(those)),
        )
        for position, decision in connection.execute(query):
            decided[topic, partition, int(position)] = str(decision)
    return {record: decision for record, decision in decided.items() if record in wanted}


def admitted_records(connection: Connection, slice: SliceName) -> list[AdmittedRecord]:
    """The records of a slice that people had applied, in order."""
    c = RULINGS.c
    query = select(c.topic, c.topic_id, c.partition, c.position).where(
        *of_slice(RULINGS, slice), c.decision == ADMITTED
    )
    return sorted(AdmittedRecord(*row) for row in connection.execute(query))


def write_rulings(
    connection: Connection,
    slice: SliceName,
    aside: Sequence[tuple[str, int, int, int]],
    decided_at: str,
    saying: AsideDecision,
) -> None:
    """Keep what is said of records that are put aside: rows of topic, partition, position and
    version. What was said of one before is replaced."""
    if not aside:
        return
    p, c = POSITIONS.c, RULINGS.c
    query = select(p.topic, p.partition, p.version, p.topic_id).where(*of_slice(POSITIONS, slice))
    ids = {(row[0], int(row[1]), int(row[2])): row[3] for row in connection.execute(query)}
    places = {
        (topic, ids[topic, partition, version], partition, position)
        for topic, partition, position, version in aside
    }
    ordered = sorted(places)
    key = tuple_(c.topic, c.topic_id, c.partition, c.position)
    for first in range(0, len(ordered), _AT_ONCE):
        some = ordered[first : first + _AT_ONCE]
        connection.execute(delete(RULINGS).where(*of_slice(RULINGS, slice), key.in_(some)))
    saying_values = {
        **{"context": slice.context, "region": slice.region, "decision": saying.decision},
        **{"decided_by": saying.decided_by, "decided_at": decided_at, "why": saying.why},
    }
    names = ("topic", "topic_id", "partition", "position")
    connection.execute(
        insert(RULINGS), [saying_values | dict(zip(names, place, strict=True)) for place in ordered]
    )
