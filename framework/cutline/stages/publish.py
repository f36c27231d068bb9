"""Sending what a run found to its topics, when everything before is done."""

from __future__ import annotations

from pyspark.sql import functions as F

from cutline.context import state_name
from cutline.run.workspace import Workspace
from cutline.tables import BREAKS, EXCEPTIONS, TIMELINE
from cutline.tables.event import SYNTHETIC
from cutline.topics import names
from cutline.topics.cloudevents import event_records
from cutline.topics.files import FileTopics
from cutline.topics.publish import Teller, break_records, exception_records, state_records


def publish(workspace: Workspace, *, go: bool) -> dict[str, int]:
    """Send exceptions and breaks, and with GO also the history and the state of each aggregate.

    Returns the run's records by topic. What the run sent before is replaced, so it can be done
    again. Without GO no history and no state leaves the lake.
    """
    sender = _Sender(workspace)
    sender.findings()
    if go:
        for aggregate in workspace.context.aggregates:
            sender.history(aggregate.name)
            sender.state(aggregate.name)
    return sender.sent


class _Sender:
    """Sends tables of one run and keeps count."""

    def __init__(self, workspace: Workspace) -> None:
        section = workspace.project.file.topics
        self._workspace = workspace
        self._topics = FileTopics(workspace.project.path(section.path), section.partitions)
        self._place = section.prefix, workspace.context.name
        self._rows = {t.name: t.rows for r in workspace.done.values() for t in r.tables}
        self._teller = Teller(
            workspace.context.name, workspace.region, workspace.run_id, workspace.recorded_at
        )
        self.sent: dict[str, int] = {}

    def findings(self) -> None:
        """Exceptions and breaks."""
        run_id, spark, lake = self._workspace.run_id, self._workspace.spark, self._workspace.lake
        found = (
            (names.exceptions(*self._place), EXCEPTIONS.name, exception_records),
            (names.breaks(*self._place), BREAKS.name, break_records),
        )
        for topic, table, records in found:
            self._topics.append(topic, run_id, records(lake.read(spark, table), self._teller))
            self.sent[topic] = self._rows[table]

    def history(self, aggregate: str) -> None:
        """The synthetic events of the timeline, in their causal order."""
        from pyspark.sql import Observation

        timeline = self._workspace.lake.read(self._workspace.spark, TIMELINE.name)
        events = timeline.where(
            (F.col("aggregate") == aggregate) & (F.col("migorigin") == SYNTHETIC)
        )
        counted = Observation()
        records = event_records(events).observe(counted, F.count(F.lit(1)).alias("sent"))
        topic = names.synthetic(*self._place, aggregate)
        self._topics.append(topic, self._workspace.run_id, records, order=("ordinal",))
        self.sent[topic] = int(counted.get["sent"])

    def state(self, aggregate: str) -> None:
        """The state of each subject."""
        table = state_name(aggregate)
        state = self._workspace.lake.read(self._workspace.spark, table)
        topic = names.state(*self._place, aggregate)
        records = state_records(state, aggregate, self._teller)
        self._topics.compact(topic, self._workspace.run_id, records)
        self.sent[topic] = self._rows[table]
