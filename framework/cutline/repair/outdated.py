"""Whether events before a moment are still those that a checkpoint was made of."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from cutline.lake.lake import Lake
from cutline.lake.places import place_of
from cutline.repair.computing import between, window_events
from cutline.repair.files_since import files_since
from cutline.repair.prepared import PreparedRepair, RepairWork
from cutline.replay.archive_files import PREFIX, ArchiveFile, FrozenFiles
from cutline.replay.events import EXCEPTION
from cutline.replay.evolving import EventReading
from cutline.replay.request import ReplayRequest
from cutline.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import Column


def outdated(
    work: RepairWork,
    prepared: PreparedRepair,
    made_of: str | None,
    position: str,
    moment: dt.datetime,
) -> str | None:
    """Why the state of a moment that was made of a position is another one over the source as it is
    at `position`; null where it is not, as of topics of Kafka, which only grow.

    Files that came or grew since are read: only what they have of before the moment makes it so.
    """
    if not position.startswith(PREFIX):
        return None
    if made_of is None:
        return "it does not say which files it was made of"
    now = FrozenFiles.read(position)
    since = files_since(FrozenFiles.read(made_of), now, prepared.reading.source.key)
    if since.changed:
        return f"{since.changed[0]} holds other bytes by now"
    if since.came and (count := _events_before(work, prepared, now, since.came, moment)):
        files = ", ".join(file.place for file, _ in since.came[:2])
        return f"{count:,} events of before it came since, in {files}" + (
            " or others" if len(since.came) > 2 else ""
        )
    return None


def _events_before(
    work: RepairWork,
    prepared: PreparedRepair,
    now: FrozenFiles,
    came: Sequence[tuple[ArchiveFile, int]],
    moment: dt.datetime,
) -> int:
    """How many events that count, or that nobody can read, the rows that came have before a
    moment."""
    spark = session(work.project.file.spark)
    lake = Lake(prepared.shelf.tables(f"came-{uuid.uuid4().hex}"))
    request = ReplayRequest(prepared.section.replay, "", end=moment)
    source = prepared.reading.source
    reading = EventReading(prepared.replay, source, prepared.chains, request, lambda _: None)
    position = FrozenFiles(now.format, tuple(file for file, _ in came)).text()
    try:
        _, events = reading.events(spark, position, lake)
        new = events.where(_came(came))
        unreadable = new.where((F.col("outcome") == EXCEPTION) & (F.col("time") < F.lit(moment)))
        counted = between(window_events(new, prepared.windows), None, moment)
        return counted.count() + unreadable.count()
    finally:
        place_of(spark, lake.root).delete()


def _came(came: Sequence[tuple[ArchiveFile, int]]) -> Column:
    """Whether a row is none of the first ones of its file that a state was made of."""
    is_new = F.lit(True)
    for number, (_, rows) in enumerate(came):
        if rows:
            is_new &= (F.col("file") != number) | (F.col("number") >= rows)
    return is_new
