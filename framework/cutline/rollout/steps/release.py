"""Staging a release: what a run offers is prepared and compared before it is recorded."""

from __future__ import annotations

from typing import Any

from cutline.control.rollouts import Release
from cutline.errors import RunFailed
from cutline.feed import feed_slice
from cutline.rollout.positions import history_positions
from cutline.rollout.release_topics import has_topics, publish_topics
from cutline.rollout.steps.step import RolloutStep
from cutline.rollout.work import RolloutWork, StepDone
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.tables import TIMELINE


def next_release(work: RolloutWork) -> int:
    """The number of the next release of the slice."""
    releases = work.control.releases(work.context, work.region)
    return releases[0].release + 1 if releases else 1


def staged_run(work: RolloutWork) -> str:
    """The run whose release is staged: that of the command, or that which the plan carried on."""
    return work.evidence.get("drained_run") or work.arguments["run_id"]


def _unchanged_release(work: RolloutWork) -> Release | None:
    """The release that readers see, if nothing came since: under a hold nothing is built again."""
    standing = work.release(work.standing.release)
    drained = work.evidence.get("drained_run")
    if standing is None or standing.run_id != drained:
        return None
    is_read_model_missing = work.read_model is not None and standing.read_model is None
    wants_topics = work.project.file.rollout.release_topics
    if is_read_model_missing or (wants_topics and not has_topics(work, standing)):
        return None
    return standing


def _build_read_model(work: RolloutWork) -> StepDone:
    read_model = work.declared_read_model
    if (current := _unchanged_release(work)) is not None:
        return StepDone({"read_model": current.read_model})
    record = work.run(staged_run(work))
    number = next_release(work)
    # No release has this number yet: what stands there is of one that was taken back.
    move = work.standing.version
    read_model.drop_unless_of(number, record.run_id, move)
    spark, lake = session(work.project.file.spark), lake_of(work.project, record)
    version = read_model.build(spark, lake, number, record.run_id, move)
    if version.is_breaking and "drained_run" in work.evidence:
        raise RunFailed(
            f"Run {record.run_id} has other columns than services read, and would be read at once.",
            left_behind="Its tables are there, and nobody reads them.",
            next_step=f"Stage it and expand first: cutline rollout stage {work.context} "
            f"{record.run_id} --region {work.region}",
        )
    rows = {table.table: table.rows for table in version.tables}
    return StepDone(evidence={"read_model": version.model_dump(mode="json"), "rows": rows})


def _publish_release(work: RolloutWork) -> StepDone:
    if _unchanged_release(work) is not None:
        return StepDone()
    positions = publish_topics(work, work.run(staged_run(work)), next_release(work))
    return StepDone({"positions": positions})


def _record_release(work: RolloutWork) -> StepDone:
    if (current := _unchanged_release(work)) is not None:
        return StepDone({"release": current.release}, {"staged": current.release})
    number = next_release(work)
    record = work.run(staged_run(work))
    release = Release(
        context=work.context,
        region=work.region,
        release=number,
        run_id=record.run_id,
        timeline_digest=timeline_digest(record.tables()),
        positions=work.evidence.get("positions") or history_positions(work, record.run_id),
        read_model=work.evidence.get("read_model"),
        staged_at=work.now(),
    )
    return StepDone({"release": number}, {"staged": number}, release)


def timeline_digest(tables: Any) -> str:
    """The digest of the timeline that a run wrote."""
    digest: str = next(t.digest for t in tables if t.name == TIMELINE.name)
    return digest


def _feed_read_model(work: RolloutWork) -> StepDone:
    """Readers of a slice that is fed would go back in time with tables of the run alone."""
    read_model = work.declared_read_model
    staged = work.evidence["release"]
    if all(read_model.feed_state(version) is None for version in read_model.versions()):
        return StepDone({"fed_events": None})
    fed = feed_slice(work.project, work.control, work.context, work.region, only=staged)
    return StepDone({"fed_events": sum(version.done.events for version in fed)})


BUILD_READ_MODEL = RolloutStep(
    "build-read-model",
    "write the release's tables of the read model, read them back and compare them",
    _build_read_model,
)
PUBLISH_RELEASE = RolloutStep(
    "publish-release",
    "send history and states to topics under the release's name, and read them back",
    _publish_release,
)
RECORD_RELEASE = RolloutStep(
    "record-release",
    "record run, timeline, topic positions and read model as the next release",
    _record_release,
)
FEED_READ_MODEL = RolloutStep(
    "feed-read-model",
    "bring live events into the release's tables, if those of the release before are fed",
    _feed_read_model,
)
RELEASE_STEPS = (BUILD_READ_MODEL, PUBLISH_RELEASE, RECORD_RELEASE, FEED_READ_MODEL)
