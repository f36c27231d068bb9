"""The metrics that there are: what each says, and by what it is told apart."""

from __future__ import annotations

from typing import NamedTuple

SLICE = ("context", "slice")


class Metric(NamedTuple):
    """What a metric says, and its labels in order."""

    says: str
    labels: tuple[str, ...]


METRICS: dict[str, Metric] = {
    "cutline_run_finished_timestamp_seconds": Metric(
        "When the newest complete run of a slice ended, in seconds since 1970", SLICE
    ),
    "cutline_go_timestamp_seconds": Metric(
        "When the newest run that is GO ended, in seconds since 1970", SLICE
    ),
    "cutline_go": Metric("Whether the newest complete run is GO: 1 or 0", SLICE),
    "cutline_runs": Metric("Runs of a slice by how they stand", (*SLICE, "status")),
    "cutline_stage_seconds": Metric(
        "What a stage of the newest complete run took", (*SLICE, "stage")
    ),
    "cutline_watermark_timestamp_seconds": Metric(
        "When the newest change that was read of a source was committed, in seconds since 1970",
        (*SLICE, "source"),
    ),
    "cutline_source_rows": Metric(
        "Source rows of the newest complete run by their one end", (*SLICE, "disposition")
    ),
    "cutline_events": Metric(
        "Candidate events of the newest complete run by their one end, duplicates among them",
        (*SLICE, "verdict"),
    ),
    "cutline_subjects": Metric(
        "Subjects that the newest complete run projected, by aggregate", (*SLICE, "aggregate")
    ),
    "cutline_exceptions": Metric(
        "Rows and events that wait for a person, by rule", (*SLICE, "rule")
    ),
    "cutline_exceptions_by_age": Metric(
        "The same by rule, and by how long they had been open when the newest complete run looked",
        (*SLICE, "rule", "age"),
    ),
    "cutline_exceptions_oldest_timestamp_seconds": Metric(
        "When the oldest of them was first found, by rule, in seconds since 1970", (*SLICE, "rule")
    ),
    "cutline_findings": Metric(
        "Departures from an expected order or a lifecycle, by rule", (*SLICE, "rule")
    ),
    "cutline_breaks": Metric("Open breaks by level", (*SLICE, "level")),
    "cutline_breaks_by_age": Metric(
        "The same by level, and by how long they had been open when the newest complete run looked",
        (*SLICE, "level", "age"),
    ),
    "cutline_breaks_oldest_timestamp_seconds": Metric(
        "When the oldest open break was first found, by level, in seconds since 1970",
        (*SLICE, "level"),
    ),
    "cutline_breaks_opened": Metric(
        "Breaks that the run before did not have, by level", (*SLICE, "level")
    ),
    "cutline_breaks_fixed": Metric(
        "Breaks that the run before had and the newest has not, by level", (*SLICE, "level")
    ),
    "cutline_drift": Metric(
        "Subjects and decisions that break and no waiver takes, by declared category",
        (*SLICE, "level", "name", "category"),
    ),
    "cutline_decisions": Metric(
        "Decisions taken on both sides, by outcome and how they agree",
        (*SLICE, "outcome", "agreement"),
    ),
    "cutline_published_records": Metric(
        "Records that all runs of a slice published to Kafka and read back, by topic",
        (*SLICE, "topic"),
    ),
    "cutline_rollout_reads": Metric(
        "Who is read: 1 for legacy, mirror, canary or new, 0 for the others", (*SLICE, "reads")
    ),
    "cutline_rollout_writes": Metric(
        "Who writes: 1 for legacy, held or new, 0 for the others", (*SLICE, "writes")
    ),
    "cutline_rollout_percent": Metric("The share of reads under mirror or canary", SLICE),
    "cutline_rollout_epoch": Metric("How often who writes has changed", SLICE),
    "cutline_rollout_under_way": Metric("Whether a command is under way: 1 or 0", SLICE),
    "cutline_feed_timestamp_seconds": Metric(
        "When a version of the read model was last fed, in seconds since 1970", (*SLICE, "version")
    ),
    "cutline_feed_behind": Metric(
        "Records of the live topics that a version lacks, those of other slices among them",
        (*SLICE, "version"),
    ),
    "cutline_feed_aside": Metric(
        "Live records that are put aside and not applied to a version, by rule",
        (*SLICE, "version", "rule"),
    ),
}
"""By name, in the order in which they are shown."""
