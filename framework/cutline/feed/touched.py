"""The subjects that live events touch, merged and projected as one run over everything does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from cutline.engine.merge import with_verdicts
from cutline.engine.project import UncomputableState, project, state_errors
from cutline.errors import RunFailed
from cutline.feed.offered import JSON_OPTIONS
from cutline.masking import Masking, masking
from cutline.readmodels import ReadModelColumn, Subject, identity_of
from cutline.readmodels.columns import columns_of
from cutline.readmodels.lines import values_text
from cutline.spark.among import among, not_among
from cutline.spark.few_rows import broadcast_if_few
from cutline.stages.merge import policy_of
from cutline.tables import EVENTS, REFUSED, TIMELINE
from cutline.tables.event import EXACT, NATIVE
from cutline.tables.verdict import ACCEPTED, AFTER_CUT, HELD, UNDECIDED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cutline.context import Aggregate
    from cutline.workspace import Workspace

_SUBJECT = ("aggregate", "subject")
_LIVE = "live"
"""What stands in `migbatchid` of a live event, which has none, while it is merged with history."""
_MERGED = (
    *("aggregate", "subject", "id", "source", "migbatchid", "type", "time", "data"),
    *("ordinal", "verdict", "rule"),
)


@dataclass(frozen=True)
class LiveVerdict:
    """What the merge decided of a live event; `ordinal` is its place in the timeline, null unless
    it was accepted."""

    of: Subject
    id: str
    identity: str
    verdict: str
    rule: str
    ordinal: int | None


@dataclass(frozen=True)
class TouchedSubjects:
    """Subjects as they are with their live events.

    `verdicts` are of those live events that history does not hold; `states` has by subject the line
    of its values, and nothing for one that has ended. `uncomputable` says of others why a column of
    their state cannot be computed.
    """

    verdicts: Sequence[LiveVerdict]
    states: Mapping[Subject, bytes]
    uncomputable: Mapping[Subject, str] = field(default_factory=dict)


def has_live_events_of_later(workspace: Workspace) -> bool:
    """Whether the run read live events that it left for later: what came after the cut, is held for
    an event that must come first, or was told in two ways."""
    refused = workspace.lake.read(workspace.spark, REFUSED)
    # Not before: of a process that feeds, this is what starts Spark.
    of_later = F.col("verdict").isin(AFTER_CUT, HELD, UNDECIDED)
    rows = refused.where((F.col("migorigin") == NATIVE) & of_later)
    return bool(rows.limit(1).count())


def touched_subjects(
    workspace: Workspace,
    events: Mapping[Subject, Sequence[str]],
    columns: Mapping[str, Sequence[ReadModelColumn]],
    scratch: str,
) -> TouchedSubjects:
    """The subjects with all their live events so far, which are rows of EVENTS as JSON.

    They are merged with what the run of the workspace holds of them, by its policy and without a
    cut; a live event whose id or fact its timeline holds is left out. `columns` are those of the
    version by aggregate. `scratch` is a folder for files.
    """
    spark = workspace.spark
    live = _live_events(spark, [text for texts in events.values() for text in texts])
    names = spark.createDataFrame(list(events), "aggregate string, subject string")
    subjects = broadcast_if_few(names, len(events))
    timeline = among(workspace.lake.read(spark, TIMELINE), subjects, _SUBJECT)
    candidates = _history(workspace, timeline, subjects).unionByName(_new(live, timeline))
    merged = with_verdicts(candidates, workspace.context, policy_of(workspace))
    path = f"{scratch}/merged"
    merged.select(*_MERGED).write.mode("overwrite").parquet(path)
    merged = spark.read.parquet(path)
    states: dict[Subject, bytes] = {}
    uncomputable: dict[Subject, str] = {}
    touched_aggregates = {name for name, _ in events}
    for aggregate in workspace.context.aggregates:
        if aggregate.name in touched_aggregates & set(columns):
            accepted = merged.where(F.col("verdict") == ACCEPTED)
            mask = masking([workspace.translation])
            computed = _computable_states(accepted, aggregate, columns[aggregate.name], mask)
            states |= computed[0]
            uncomputable |= computed[1]
    return TouchedSubjects(_verdicts(merged), states, uncomputable)


def _live_events(spark: SparkSession, texts: Sequence[str]) -> DataFrame:
    rows = spark.createDataFrame([(text,) for text in texts], "event string")
    events = rows.select(F.from_json("event", EVENTS.ddl, JSON_OPTIONS).alias("event"))
    return events.select("event.*").withColumn("migbatchid", F.lit(_LIVE))


def _history(workspace: Workspace, timeline: DataFrame, subjects: DataFrame) -> DataFrame:
    """What was accepted, as it came, and what history holds until an event comes that it needs."""
    refused = workspace.lake.read(workspace.spark, REFUSED)
    is_waiting = (F.col("verdict") == HELD) & (F.col("migorigin") != NATIVE)
    waiting = among(refused.where(is_waiting), subjects, _SUBJECT)
    # The merge lowers the confidence of what departs from an order; a live event came as exact.
    native = F.col("migorigin") == NATIVE
    as_it_came = F.when(native, EXACT).otherwise(F.col("migconfidence"))
    history = timeline.select(*EVENTS.names).withColumn("migconfidence", as_it_came)
    return history.unionByName(waiting.select(*EVENTS.names))


def _new(live: DataFrame, timeline: DataFrame) -> DataFrame:
    """The live events that the timeline does not hold, neither by their id nor by their fact."""
    facts = timeline.where(F.col("migfactkey").isNotNull())
    new = not_among(live, timeline.select(*_SUBJECT, "id"))
    return not_among(new, facts.select(*_SUBJECT, "migfactkey")).select(*EVENTS.names)


def _verdicts(merged: DataFrame) -> list[LiveVerdict]:
    rows = merged.where(F.col("migbatchid") == _LIVE).select(*_MERGED)
    return [
        LiveVerdict(
            of=(row["aggregate"], row["subject"]),
            id=row["id"],
            identity=identity_of(row["aggregate"], row["subject"], row["source"], row["id"]),
            verdict=row["verdict"],
            rule=row["rule"],
            ordinal=row["ordinal"],
        )
        for row in rows.collect()
    ]


def _computable_states(
    accepted: DataFrame, aggregate: Aggregate, columns: Sequence[ReadModelColumn], mask: Masking
) -> tuple[dict[Subject, bytes], dict[Subject, str]]:
    """The lines of the subjects of an aggregate, and why there is none of others."""
    uncomputable: dict[Subject, str] = {}
    while True:
        excluded = [subject for _, subject in uncomputable]
        sound = accepted.where(~F.col("subject").isin(excluded)) if excluded else accepted
        try:
            with state_errors(mask):
                return _states(sound, aggregate, columns), uncomputable
        except UncomputableState as error:
            # A job ends at the first that fails; the others are tried again without it.
            if error.of in uncomputable:
                raise
            uncomputable[error.of] = error.what


def _states(
    accepted: DataFrame, aggregate: Aggregate, columns: Sequence[ReadModelColumn]
) -> dict[Subject, bytes]:
    frame = project(accepted, aggregate)
    _refuse_other_columns(frame, aggregate, columns)
    lines = frame.select("subject", values_text(columns).alias("line"))
    return {(aggregate.name, row["subject"]): row["line"].encode() for row in lines.collect()}


def _refuse_other_columns(
    frame: DataFrame, aggregate: Aggregate, columns: Sequence[ReadModelColumn]
) -> None:
    """RunFailed where the table has columns that the plugins of now do not project any more."""
    types = {c.name: c.type for c in columns_of(frame.schema, f"state_{aggregate.name}")}
    strange = [f"{c.name} ({c.type})" for c in columns if types.get(c.name) != c.type]
    if strange:
        raise RunFailed(
            f"aggregate {aggregate.name} has no state column {', '.join(strange)} any more: a "
            "version that has it cannot be fed",
            left_behind="Its rows are as they were.",
            next_step="Feed it with the plugins that it was built with, or let services read a "
            "newer release.",
        )
