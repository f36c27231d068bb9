"""Where the reading of topics begins and ends: frozen once, and held against the cluster later."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence

from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka.base_inputs import BaseInput
from cutline.kafka.cluster import KafkaCluster
from cutline.kafka.failures import LOST_RECORDS, NOTHING, lost_records, lost_since_base
from cutline.kafka.frozen import FrozenTopic, FrozenTopics, Offsets
from cutline.kafka.registry import Registry, RegistrySettings
from cutline.kafka.settings import ClientSettings

Begin = str | dt.datetime | Mapping[int, int]
"""`beginning`, a moment, or offsets by partition."""
_Place = tuple[str, int]


def freeze_topics(
    settings: ClientSettings,
    groups: Sequence[Sequence[str]],
    begin: Begin,
    key: str,
    *,
    whole: bool = False,
    registry: RegistrySettings | None = None,
    base: BaseInput | None = None,
) -> FrozenTopics:
    """The topics up to where they are committed now, group after group.

    What stands in a topic of an earlier group was written after all that it tells of in a later
    one. The end of a partition is its last stable offset. `begin` is for the topics of the last
    group; of the others offsets by partition mean their beginning.

    With a `registry` also which schemas are the newest of the topics' keys and values. Topics that
    are those of a `base` begin where they did there: what it has read may be gone since.

    ConfigurationError, naming topic and partition, for a topic that is not there, for offsets that
    are not those of its partitions, and where retention has passed the beginning, or what the base
    has read; with `whole` also if anything was ever removed from the beginning of a topic of the
    last group.
    """
    cluster = KafkaCluster(settings, key, starting=True)
    cluster_id = cluster.id()
    frozen: dict[str, FrozenTopic] = {}
    for number, topics in enumerate(groups):
        is_last = number == len(groups) - 1
        described = cluster.describe(topics)
        places = [(name, p.id) for name in topics for p in described[name].partitions]
        ends = cluster.stable_ends(places)
        at = begin if is_last or not isinstance(begin, Mapping) else "beginning"
        ids = {name: str(described[name].topic_id) for name in topics}
        first = cluster.first_offsets(places)
        if (starts := _starts_of_base(base, cluster_id, ids, places, first, key)) is None:
            starts = _starts(cluster, at, first, ends, key)
            if whole and is_last and at == "beginning":
                _refuse_removed(first, key)
        for name in topics:
            ranges = {
                partition: Offsets(starts[topic, partition], ends[topic, partition])
                for topic, partition in places
                if topic == name
            }
            frozen[name] = FrozenTopic(str(described[name].topic_id), dict(sorted(ranges.items())))
    if registry is None:
        return FrozenTopics(cluster_id, frozen)
    subjects = (f"{topic}-{part}" for topic in frozen for part in ("key", "value"))
    return FrozenTopics(cluster_id, frozen, Registry(registry, key).newest(subjects))


def refuse_moved(settings: ClientSettings, frozen: FrozenTopics, key: str) -> None:
    """RunFailed, naming topic and partition, unless what was frozen can still be read.

    It cannot if a topic was deleted or made anew, if its partitions are more by now, or if
    retention has passed the frozen beginning.
    """
    cluster = KafkaCluster(settings, key)
    cluster_id = cluster.id()
    if cluster_id != frozen.cluster:
        raise _moved(key, f"the cluster is {cluster_id}, and was {frozen.cluster}")
    described = cluster.describe(frozen.topics)
    for name, topic in frozen.topics.items():
        if str(described[name].topic_id) != topic.id:
            raise _moved(key, f"topic {name} was deleted, and made anew under its name")
        partitions = len(described[name].partitions)
        if partitions != len(topic.partitions):
            raise _moved(
                key, f"topic {name} has {partitions} partitions, and had {len(topic.partitions)}"
            )
    wanted = {place: r for place, r in frozen.ranges().items() if r.start < r.end}
    for (name, partition), first in cluster.first_offsets(wanted).items():
        start, end = wanted[name, partition]
        if first > start:
            raise lost_records(name, partition, start, min(first, end), key, RunFailed)


def _moved(key: str, why: str) -> RunFailed:
    return RunFailed(
        f"{key}: {why}: what this run was to read is no longer what is there",
        left_behind=NOTHING,
        next_step="Run the same command again: it will be a run of its own, over what is there.",
    )


def _starts_of_base(
    base: BaseInput | None,
    cluster: str,
    ids: Mapping[str, str],
    places: Sequence[_Place],
    first: Mapping[_Place, int],
    key: str,
) -> dict[_Place, int] | None:
    """Where these topics began for the base; null unless they are the same, with the same
    partitions."""
    before = None if base is None else base.frozen_topics()
    if base is None or before is None or before.cluster != cluster:
        return None
    topics = {name: before.topics[name] for name in ids if name in before.topics}
    starts = {place: r.start for place, r in before.only(topics).ranges().items()}
    if {name: topic.id for name, topic in topics.items()} != dict(ids):
        return None
    if set(starts) != set(places):
        return None
    for (topic, partition), end in base.ends().items():
        low = first.get((topic, partition), 0)
        if low > end:
            raise lost_since_base(topic, partition, end, low, key)
    return starts


def _starts(
    cluster: KafkaCluster,
    begin: Begin,
    first: Mapping[_Place, int],
    ends: Mapping[_Place, int],
    key: str,
) -> dict[_Place, int]:
    if isinstance(begin, dt.datetime):
        at_moment = cluster.offsets_at(first, begin)
        starts = {p: ends[p] if at < 0 else min(at, ends[p]) for p, at in at_moment.items()}
        for place, start in starts.items():
            if 0 < start == first[place] < ends[place]:
                raise _perhaps_lost(place, start, begin, key)
        return starts
    if isinstance(begin, str):
        return dict(first)
    _refuse_partitions(begin, first, key)
    for (topic, partition), low in first.items():
        start = begin[partition]
        if start < low:
            raise lost_records(topic, partition, start, low, key, ConfigurationError)
        if start > ends[topic, partition]:
            raise ConfigurationError(
                f"{key}.from: topic {topic}, partition {partition} ends at offset "
                f"{ends[topic, partition]:,}, before {start:,}",
                left_behind=NOTHING,
                next_step="Give an offset that it has, or that of its end.",
            )
    return {place: begin[place[1]] for place in first}


def _refuse_partitions(begin: Mapping[int, int], places: Iterable[_Place], key: str) -> None:
    partitions = {partition for _, partition in places}
    named = sorted(partitions ^ set(begin))
    if named:
        does = "has" if named[0] in partitions else "has no"
        raise ConfigurationError(
            f"{key}.from: the topic {does} partition {named[0]}, and the offsets name partitions "
            f"{', '.join(map(str, sorted(begin)))}",
            left_behind=NOTHING,
            next_step=f"Give an offset for each of its {len(partitions)} partitions.",
        )


def _perhaps_lost(place: _Place, start: int, begin: dt.datetime, key: str) -> ConfigurationError:
    topic, partition = place
    return ConfigurationError(
        f"{key}.from: topic {topic}, partition {partition} begins at offset {start:,} with records "
        f"of after {begin.isoformat()}: retention may have removed some that were to be read",
        left_behind=NOTHING,
        next_step=f"If none of them matters, say so: from: {{{partition}: {start}}}. "
        + LOST_RECORDS,
    )


def _refuse_removed(first: Mapping[_Place, int], key: str) -> None:
    for (topic, partition), low in first.items():
        if low > 0:
            raise ConfigurationError(
                f"{key}: topic {topic}, partition {partition} begins at offset {low:,}: what came "
                "before was removed, and with it perhaps rows of the connector's snapshot, which "
                "are the beginning of a source of kind log",
                left_behind=NOTHING,
                next_step="Have the connector take its snapshot anew, into a topic that keeps all; "
                f"or, if a whole snapshot begins there, say so: from: {{{partition}: {low}}}.",
            )
