"""The numbers of all slices, as the control database has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from cutline.api.metrics.names import METRICS
from cutline.api.metrics.sample import Metrics, MetricSample
from cutline.control import Control, DamagedRow, RunRecord, Trend, newest_go
from cutline.control.rollouts import READS, WRITES, Rollout
from cutline.feed import FeedStanding
from cutline.logs import logger
from cutline.results import PROJECT, ReconcileResult
from cutline.tables.breaks import OUTCOME, RECORD, STATE

_LOG = logger(__name__)

UNKNOWN = "unknown"
"""The category of subjects of which no side tells it."""
_STATE = "state_"
_BOOKS = {
    "cutline_source_rows": "dispositions",
    "cutline_events": "verdicts",
    "cutline_exceptions": "exceptions",
    "cutline_findings": "findings",
}


FeedOf = Callable[[str, str], Iterable[FeedStanding]]
"""The versions of a slice (context, region) that are fed."""


def collect_metrics(
    control: Control, slices: Iterable[tuple[str, str]], feed_of: FeedOf
) -> Metrics:
    """Every metric of every slice that was ever run; none of one that was not, and of one of which
    a row cannot be read."""
    samples: list[MetricSample] = []
    damages: list[DamagedRow] = []
    for context, region in slices:
        try:
            samples += list(_of(control, context, region, feed_of))
        except DamagedRow as error:
            fields = {"context": context, "region": region, "error": error.what}
            _LOG.warning("slice left out of the metrics", extra=fields)
            damages.append(error)
    order = list(METRICS)
    return Metrics(sorted(samples, key=lambda sample: order.index(sample.name)), damages)


def _of(control: Control, context: str, region: str, feed_of: FeedOf) -> Iterator[MetricSample]:
    def sample(name: str, value: float, *labels: str) -> MetricSample:
        names = METRICS[name].labels
        return MetricSample(name, dict(zip(names, (context, region, *labels), strict=True)), value)

    records = control.runs(context, region)
    for status, count in sorted(Counter(record.status for record in records).items()):
        yield sample("cutline_runs", count, status)
    complete = [record for record in records if record.status == "complete"]
    go = newest_go(records)
    if go is not None and go.finished_at is not None:
        yield sample("cutline_go_timestamp_seconds", go.finished_at.timestamp())
    published: Counter[str] = Counter()
    for entry in control.publications(context, region):
        published[entry.published.topic] += entry.published.records or 0
    for topic, count in sorted(published.items()):
        yield sample("cutline_published_records", count, topic)
    if complete:
        trend = control.trends(context, region).get(complete[0].run_id)
        for name, value, *labels in _of_run(complete[0], trend):
            yield sample(name, value, *labels)
    if (rollout := control.rollout(context, region)) is not None:
        for name, value, *labels in _of_rollout(rollout):
            yield sample(name, value, *labels)
        for fed in feed_of(context, region):
            for name, value, *labels in _of_feed(fed):
                yield sample(name, value, *labels)


_Number = tuple[str, float, *tuple[str, ...]]


def _of_run(record: RunRecord, trend: Trend | None) -> Iterator[_Number]:
    """Name, value and labels of what a complete run came to."""
    if record.finished_at is not None:
        yield "cutline_run_finished_timestamp_seconds", record.finished_at.timestamp()
    yield "cutline_go", float(record.decision == "go")
    for stage in record.stages:
        if stage.seconds is not None:
            yield "cutline_stage_seconds", stage.seconds, stage.name
    for source, newest in sorted(record.watermarks().items()):
        yield "cutline_watermark_timestamp_seconds", newest.timestamp(), source
    for name, book in _BOOKS.items():
        for entry, count in sorted(record.book(book).items()):
            yield name, count, entry
    projected = record.results().get(PROJECT)
    for table in projected.tables if projected else ():
        if table.name.startswith(_STATE):
            yield "cutline_subjects", table.rows, table.name.removeprefix(_STATE)
    levels: Mapping[str, Mapping[str, int]] = trend.levels if trend else {}
    for level, counts in sorted(levels.items()):
        yield "cutline_breaks", counts["open"], level
        yield "cutline_breaks_opened", counts["opened"] + counts["reopened"], level
        yield "cutline_breaks_fixed", counts["fixed"], level
    if (reconciled := record.result_of(ReconcileResult)) is not None:
        yield from _of_history(reconciled)
        yield from _of_categories(reconciled)
    for question, agreements in sorted(record.outcomes().items()):
        for agreement, count in sorted(agreements.items()):
            yield "cutline_decisions", count, question, agreement


def _of_history(reconciled: ReconcileResult) -> Iterator[_Number]:
    """How old what is open is. Nothing of a run that an older version made."""
    history = reconciled.history
    if history is None:
        return
    for waiting, ages in (("exceptions", history.exceptions), ("breaks", history.breaks)):
        for name, age in sorted(ages.items()):
            oldest = age.oldest.timestamp()
            yield f"cutline_{waiting}_oldest_timestamp_seconds", oldest, name
            for bucket, count in age.ages.items():
                yield f"cutline_{waiting}_by_age", count, name, bucket


def _of_categories(reconciled: ReconcileResult) -> Iterator[_Number]:
    """What breaks by category: of each aggregate and outcome those with the most breaks."""
    levels = reconciled.levels
    for level, entries in (
        (RECORD, levels.record),
        (STATE, levels.state),
        (OUTCOME, levels.outcome),
    ):
        for entry in entries:
            for category in entry.categories:
                yield (
                    "cutline_drift",
                    category.broken,
                    level,
                    entry.name,
                    category.category or UNKNOWN,
                )


def _of_rollout(rollout: Rollout) -> Iterator[_Number]:
    """Name, value and labels of where a rollout stands."""
    for reads in READS:
        yield "cutline_rollout_reads", float(rollout.reads == reads), reads
    for writes in WRITES:
        yield "cutline_rollout_writes", float(rollout.writes == writes), writes
    if rollout.percent is not None:
        yield "cutline_rollout_percent", rollout.percent
    yield "cutline_rollout_epoch", rollout.epoch
    yield "cutline_rollout_under_way", float(rollout.plan is not None)


def _of_feed(fed: FeedStanding) -> Iterator[_Number]:
    """Name, value and labels of how far a version is fed."""
    version = str(fed.version)
    yield "cutline_feed_timestamp_seconds", fed.fed_at.timestamp(), version
    if fed.behind is not None:
        yield "cutline_feed_behind", fed.behind, version
    for rule, number in sorted(fed.aside.items()):
        yield "cutline_feed_aside", number, version, rule
