"""The live events that came since the run before, and all of them as candidates."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame

from cutline.kafka.frozen import FrozenTopics
from cutline.lake.written import TableWritten
from cutline.project.topics import FileTopicsSection
from cutline.results import EXTRACT, MERGE, ExtractResult, FileRead, LiveEpoch, MergeResult
from cutline.sources.changes.file_part import FilePart, copy_part
from cutline.sources.content_digests import LIVE, paths_of_inputs
from cutline.spark.no_rows import no_rows
from cutline.stages.advance.over import over
from cutline.stages.live_events import LiveEvents, live_events_of
from cutline.tables import LIVE_EVENTS
from cutline.topics.files import FileTopics
from cutline.topics.lines import RECORDS
from cutline.topics.live import LivePlace, live_places, live_records
from cutline.topics.names import live
from cutline.workspace import BaseRun, Workspace

_WORK = "_advancing"


@contextlib.contextmanager
def every_live_event(workspace: Workspace) -> Iterator[LiveEvents]:
    """All live events, as far as the extract froze the topics; meanwhile."""
    with _events_since(workspace, None, ()) as events:
        yield events


class LiveTail:
    """The live topics of a run that has a base, as far as its extract froze them."""

    def __init__(self, workspace: Workspace, base: BaseRun) -> None:
        extract = base.done[EXTRACT]
        assert isinstance(extract, ExtractResult)
        self._workspace, self._base, self._before = workspace, base, extract

    @contextlib.contextmanager
    def new(self) -> Iterator[LiveEvents]:
        """The events that came since; meanwhile."""
        merged = self._base.done[MERGE]
        assert isinstance(merged, MergeResult)
        with _events_since(self._workspace, self._before, merged.live_epochs) as events:
            yield events

    def write(self, new: DataFrame) -> TableWritten:
        """Write `live_events`: all live events so far.

        A base that read everything has none: then the topics are read from their beginning.
        """
        lake = self._workspace.lake
        columns = LIVE_EVENTS.names
        if any(table.name == LIVE_EVENTS.name for table in self._base.done[MERGE].tables):
            below = over(self._base, MERGE, LIVE_EVENTS.name)
            return lake.write(new.select(*columns), LIVE_EVENTS, over=below).table
        with every_live_event(self._workspace) as every:
            return lake.write(every.events.select(*columns), LIVE_EVENTS).table


@contextlib.contextmanager
def _events_since(
    workspace: Workspace, before: ExtractResult | None, epochs: Sequence[LiveEpoch]
) -> Iterator[LiveEvents]:
    """The events behind what an extract has read, or all of them."""
    aggregates = workspace.project.file.contexts[workspace.context.name].live.aggregates
    if not aggregates:
        yield live_events_of(workspace, no_rows(workspace.spark, RECORDS), epochs)
        return
    places = live_places(workspace.project, workspace.context.name)
    if places:
        records = _kafka_records(workspace, places, {} if before is None else before.topics)
        yield live_events_of(workspace, records, epochs)
        return
    section = workspace.project.file.topics
    assert isinstance(section, FileTopicsSection)
    root = workspace.project.path(section.path).removeprefix("file://")
    # Beside the topics: what Spark's workers see of these, they see of it.
    work = Path(root, _WORK, f"{workspace.run_id}-{'new' if before else 'all'}")
    shutil.rmtree(work, ignore_errors=True)
    try:
        _copy_parts(workspace, {} if before is None else before.files, work)
        names = [live(section.prefix, workspace.context.name, name) for name in aggregates]
        records = FileTopics(str(work), section.partitions).read(workspace.spark, names)
        yield live_events_of(workspace, records, epochs)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _kafka_records(
    workspace: Workspace, places: Sequence[LivePlace], before: Mapping[str, str]
) -> DataFrame:
    """The records behind what was read, up to where the extract read."""
    now, positions = workspace.result_of(ExtractResult).topics, {}
    for place in places:
        topics = FrozenTopics.read(now[place.name])
        if place.name in before:
            topics = topics.since(FrozenTopics.read(before[place.name]))
        positions[place.name] = topics.text()
    scratch = workspace.lake.scratch(f"_live-{'new' if before else 'all'}")
    return live_records(workspace.spark, places, positions, scratch)


def _copy_parts(
    workspace: Workspace, before: Mapping[str, tuple[FileRead, ...]], work: Path
) -> None:
    prefix, now = workspace.project.file.topics.prefix, workspace.result_of(ExtractResult).files
    inputs = paths_of_inputs(workspace.project, workspace.translation, workspace.region)
    for name, paths in inputs.items():
        if not name.startswith(LIVE):
            continue
        topic = live(prefix, workspace.context.name, name.removeprefix(LIVE))
        starts = {file.name: file.bytes for file in before.get(name, ())}
        for file in now.get(name, ()):
            part = FilePart(paths[file.name], starts.get(file.name, 0), file.bytes)
            copy_part(part, work / topic / file.name)
