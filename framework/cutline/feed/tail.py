"""The live topics behind what was read of them: where they end, and their records up to there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from cutline.errors import RunFailed
from cutline.readmodels import FedPartition, Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cutline.control import RunRecord

MOST_RECORDS = 20_000
"""About how many records are applied in one transaction: so many are in memory at once."""
POSITION = "fed_position"
"""A column of records: where each stands in its partition, by which partitions are fed."""


class PartitionEnds(NamedTuple):
    """From which position to before which a partition can be read now."""

    topic_id: str
    first: int
    end: int


@dataclass(frozen=True)
class TailPart:
    """Records of live topics: `after` has by partition the position behind them.

    `count` is about how many they are, `left` how many come after them.
    """

    starts: Mapping[Place, int]
    after: Mapping[Place, int]
    count: int
    left: int


class TopicTail(Protocol):
    """The live topics of a context."""

    aggregates: Mapping[str, str]
    """By topic, the aggregate that it is of."""

    def ends(self) -> Mapping[Place, PartitionEnds]:
        """Every partition of the topics as it is now."""

    def starts(self, record: RunRecord) -> Mapping[Place, PartitionEnds]:
        """By partition, from where to before where a run read it; none for what it did not read."""

    def part(
        self, starts: Mapping[Place, int], ends: Mapping[Place, PartitionEnds], limit: int
    ) -> TailPart:
        """The records that come next, about `limit` of them."""

    def records(self, spark: SparkSession, part: TailPart, scratch: str) -> DataFrame:
        """One row per record of the part, in the columns of RECORDS and POSITION. `scratch` is a
        folder for files that must be there until the rows were read."""


def positions_of(
    fed: Mapping[Place, FedPartition], ends: Mapping[Place, PartitionEnds], place_again: str
) -> dict[Place, FedPartition]:
    """How far each partition that is there is fed; a new one from its beginning.

    RunFailed, naming topic and partition, where what was to be read, or what the run of the version
    read, is no longer there: then `place_again` are the commands that build the read model over
    what is.
    """
    for (topic, partition), stands in fed.items():
        end, reached = ends.get((topic, partition)), max(stands.position, stands.history_end)
        why = None
        if end is None or end.topic_id != stands.topic_id or end.end < reached:
            why = "was made anew or cut off since it was fed"
        elif end.first > stands.position:
            why = f"holds nothing before position {end.first:,} any more: retention removed it"
        if why is not None:
            raise RunFailed(
                f"topic {topic}, partition {partition} {why}; it is fed up to position "
                f"{stands.position:,}, and its run read it up to position {stands.history_end:,}",
                left_behind="The read model is as it was.",
                next_step=f"Build it over what is there: {place_again}",
            )
    return {
        place: fed.get(place, FedPartition(end.topic_id, end.first, 0))
        for place, end in ends.items()
    }
