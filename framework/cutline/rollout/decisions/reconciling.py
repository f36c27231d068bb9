"""Reading what both sides decided, and holding it against the ledger."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutline.control import Control, RunRecord
from cutline.control.tenures import tenures
from cutline.errors import ConfigurationError
from cutline.masking import Masking, masking
from cutline.project.loaded import LoadedProject
from cutline.rollout.decisions.result import MOST, SliceDecisions, StrayDecision
from cutline.rollout.decisions.settling import Settlement, is_settled, settlements
from cutline.run.look import temporary_stages
from cutline.run.past import lake_of
from cutline.tables import EVENTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

    from cutline.control.rollouts import LedgerLine
    from cutline.workspace import Workspace


def reconcile_decisions(
    project: LoadedProject, control: Control, context: str, region: str
) -> SliceDecisions:
    """The decisions of both sides since the slice was opened, and those without authority.

    The sources and live topics are looked at as they are now; nothing is recorded, and no lease is
    taken. ConfigurationError if the slice was never opened; what a run says where a source or a
    topic cannot be read.
    """
    if not control.rollout_ledger(context, region):
        raise ConfigurationError(
            f"The rollout of {context}/{region} was never opened: only the legacy decides.",
            next_step=f"cutline rollout open {context} --region {region}",
        )
    from cutline.stages.advance.extract import ADVANCE_EXTRACT
    from cutline.stages.advance.translate import ADVANCE_TRANSLATE

    stages = (ADVANCE_EXTRACT, ADVANCE_TRANSLATE)
    with temporary_stages(project, context, region, stages, goes_on=True) as workspace:
        # The feed brings the legacy what the live topics have, under epochs that the ledger has: so
        # each is read behind the one before.
        records = _live_records(workspace)
        ledger = control.rollout_ledger(context, region)
        return _reconciled(workspace, records, ledger, _held_run(control, ledger))


def _live_records(workspace: Workspace) -> DataFrame:
    """The records of the live topics as they are now, read back from files of the look."""
    from cutline.spark.written_aside import written_aside
    from cutline.stages.live_events import live_topic_records
    from cutline.topics.live import KafkaLive, live_places

    positions = dict(workspace.positions)
    for place in live_places(workspace.project, workspace.context.name):
        with KafkaLive(place).freeze() as (position, _):
            positions[place.name] = position
    records = live_topic_records(dataclasses.replace(workspace, positions=positions))
    return written_aside(records, workspace.lake.scratch("live-records"))


def _held_run(control: Control, ledger: Sequence[LedgerLine]) -> RunRecord | None:
    """The run that was made under the hold before the newest flip; null before there is one."""
    is_flipped = False
    for line in ledger:
        is_flipped = is_flipped or line.step == "flip"
        if is_flipped and line.step == "drain-tail" and line.event == "done":
            return control.run(line.recorded["drained_run"])
    return None


def _reconciled(
    workspace: Workspace,
    records: DataFrame,
    ledger: Sequence[LedgerLine],
    held_run: RunRecord | None,
) -> SliceDecisions:
    from pyspark.sql import functions as F

    from cutline.rollout.decisions.legacy_side import LEGACY_DECISIONS, legacy_decisions
    from cutline.rollout.decisions.new_side import NEW_DECISIONS, new_decisions
    from cutline.rollout.decisions.strays import STRAYS, strays
    from cutline.stages.live_events import readable_events
    from cutline.stages.required_epochs import required_behind

    lake, spark, every = workspace.lake, workspace.spark, tenures(ledger)
    context, region = workspace.context.name, workspace.region
    native, _ = readable_events(workspace, records)
    new = lake.write(
        new_decisions(records, native, every, context, region, required_behind(workspace, every)),
        NEW_DECISIONS,
        {"judged": F.count_if("is_judged")},
    )
    before = None if held_run is None else lake_of(workspace.project, held_run).read(spark, EVENTS)
    legacy = lake.write(
        legacy_decisions(workspace, before, every, lake.read(spark, NEW_DECISIONS)),
        LEGACY_DECISIONS,
        {"fed_back": F.count_if("is_fed_back")},
    )
    settled = settlements(ledger)
    is_open = ~is_settled(settled)
    stray = lake.write(
        strays(lake.read(spark, LEGACY_DECISIONS), lake.read(spark, NEW_DECISIONS)),
        STRAYS,
        {"unsettled": F.count_if(is_open)},
    )
    mask = masking([workspace.translation])
    return SliceDecisions(
        context=context,
        region=region,
        legacy=legacy.table.rows,
        fed_back=legacy.counts["fed_back"],
        new=new.counts["judged"],
        unjudged=new.table.rows - new.counts["judged"],
        total=stray.table.rows,
        unsettled=stray.counts["unsettled"],
        strays=tuple(
            _stray(row, mask, settled)
            for row in lake.read(spark, STRAYS)
            .withColumns({name: F.unix_micros(name) for name in ("at", "other_at")})
            .orderBy(~is_open, "at", "side", "id")
            .limit(MOST)
            .collect()
        ),
    )


def _stray(row: Row, mask: Masking, settled: Sequence[Settlement]) -> StrayDecision:
    decision = row["id"], row["side"], row["producer"]
    settlement = next((each for each in settled if each.is_of(*decision)), None)
    if row["side"] == "legacy":
        key = mask.key(row["source"], row["table"], row["key"])
        place = f"{row['source']}.{row['table']} {key}"
    else:
        place = f"{row['topic']}[{row['partition']}] at offset {row['offset']}"
    return StrayDecision(
        id=row["id"],
        rule=row["rule"],
        side=row["side"],
        aggregate=row["aggregate"],
        subject=mask.subject(row["aggregate"], row["subject"]),
        type=row["type"],
        place=place,
        at=_moment(row["at"]),
        epoch=row["epoch"],
        authority=row["authority"],
        authority_epoch=row["authority_epoch"],
        other_id=row["other_id"],
        other_at=_moment(row["other_at"]),
        producer=row["producer"],
        settled_by=settlement.changed_by if settlement else None,
        settled_why=settlement.why if settlement else None,
    )


def _moment(micros: int | None) -> dt.datetime | None:
    if micros is None:
        return None
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=micros)
