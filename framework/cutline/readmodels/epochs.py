"""Where in the live topics an epoch of the slice came first, whichever version it was fed to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, insert, select

from cutline.readmodels.feed_state import Place
from cutline.readmodels.feed_tables import EPOCHS, POSITIONS, of_slice
from cutline.readmodels.records import SliceName


@dataclass(frozen=True)
class EpochRise:
    """A record that raised the highest epoch of its partition, by its position there."""

    topic: str
    partition: int
    topic_id: str
    position: int
    epoch: int


@dataclass(frozen=True)
class SeenEpochs:
    """What feeds of a slice saw of the epochs in its partitions.

    `until` has by partition and Kafka's id of the topic the position before which every record was
    looked at by some feed; `rises` are in no order.
    """

    until: Mapping[tuple[Place, str], int]
    rises: tuple[EpochRise, ...]

    def before(self, place: Place, topic_id: str, position: int) -> int:
        """The highest epoch that came before a position; 0 for none."""
        epochs = (
            rise.epoch
            for rise in self.rises
            if (rise.topic, rise.partition) == place
            and rise.topic_id == topic_id
            and rise.position < position
        )
        return max(epochs, default=0)


NOTHING_SEEN = SeenEpochs({}, ())


def seen_epochs(connection: Connection, slice: SliceName) -> SeenEpochs:
    """What the feeds of all versions of a slice saw."""
    rises = _rises(connection, slice)
    until: dict[tuple[Place, str], int] = {}
    for row in connection.execute(select(POSITIONS).where(*of_slice(POSITIONS, slice))):
        place = (row.topic, int(row.partition)), row.topic_id
        until[place] = max(row.position, until.get(place, 0))
        # As a database of an older version has it: where it came is not known, but that it did.
        rises.append(
            EpochRise(row.topic, int(row.partition), row.topic_id, row.position - 1, row.epoch)
        )
    return SeenEpochs(until, tuple(rises))


def write_rises(connection: Connection, slice: SliceName, rises: Iterable[EpochRise]) -> None:
    """Keep where epochs came; what another version kept of the same records is the same.

    Of files that were made anew, which have no id, the last word counts.
    """
    recorded = set(_rises(connection, slice))
    c = EPOCHS.c
    for rise in set(rises) - recorded:
        place = {name: value for name, value in asdict(rise).items() if name != "epoch"}
        is_there = (c[name] == value for name, value in place.items())
        connection.execute(delete(EPOCHS).where(*of_slice(EPOCHS, slice), *is_there))
        names = {"context": slice.context, "region": slice.region}
        connection.execute(insert(EPOCHS).values(**names, **place, epoch=rise.epoch))


def _rises(connection: Connection, slice: SliceName) -> list[EpochRise]:
    rows = connection.execute(select(EPOCHS).where(*of_slice(EPOCHS, slice)))
    return [
        EpochRise(row.topic, int(row.partition), row.topic_id, row.position, row.epoch)
        for row in rows
    ]
