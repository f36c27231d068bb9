"""What must hold before a command of a rollout is performed, each with what was looked at."""

from __future__ import annotations

import contextlib

from cutline.control import RunRecord, newest_complete
from cutline.control.plan import Guard, Reads, Writes
from cutline.control.rollouts import READS
from cutline.cut import VIOLATED
from cutline.errors import CutlineError, RunFailed
from cutline.project.overlap import overlapping_regions
from cutline.readiness import readiness_of
from cutline.results import ProjectResult
from cutline.rollout.decisions import reconcile_decisions
from cutline.rollout.fed import release_feed
from cutline.rollout.overlap import overlaps
from cutline.rollout.positions import is_published
from cutline.rollout.release_topics import changed_topics, has_topics
from cutline.rollout.work import RolloutWork
from cutline.run.intact import refuse_changed
from cutline.run.naming import changed_settings

NEWEST_DECISION = "newest decision"
"""The name of the guard that the newest run is GO."""
DENIAL = "denial"
"""The name of the guard that the legacy refuses the writes of the slice."""


def command(work: RolloutWork, words: str) -> str:
    """A command of the rollout of this slice, to be typed next."""
    return f"cutline rollout {words} {work.context} --region {work.region}"


def is_open(work: RolloutWork) -> Guard:
    """The slice's rollout was opened and has not ended."""
    rollout = work.rollout
    if rollout is None or rollout.ended_at is not None:
        ended = "never opened" if rollout is None else f"ended: {rollout.ending}"
        return Guard(
            name="open",
            passed=False,
            says=f"the rollout of this slice was {ended}",
            next_command=command(work, "open"),
        )
    return Guard(name="open", passed=True, says=f"opened at {rollout.opened_at:%Y-%m-%d %H:%M}")


def nothing_under_way(work: RolloutWork) -> Guard:
    """No plan was begun and not ended."""
    rollout = work.rollout
    if rollout is None or rollout.plan is None:
        return Guard(name="idle", passed=True, says="nothing is under way")
    return Guard(
        name="idle",
        passed=False,
        says=f"{rollout.command_under_way} is under way, at step {rollout.step}",
        next_command=f"{command(work, 'resume')} (or: {command(work, 'cancel')})",
    )


def row_is_newest(work: RolloutWork) -> list[Guard]:
    """The read model was moved by no later change than the row has: it is not one of a backup. No
    guard where it is so, and where the read model does not answer."""
    moved = None
    with contextlib.suppress(CutlineError):
        read_model = work.read_model
        moved = None if read_model is None else read_model.newest_move()
    standing, current = work.standing, work.control.rollout(work.context, work.region)
    if moved is None or moved <= standing.version:
        return []
    if current is None or current.version != standing.version:
        # Another process is faster, which the change of the row finds out.
        return []
    says = (
        f"change {standing.version} of the rollout is the newest that the control database has, "
        f"and change {moved} was at the read model: the database is an older one"
    )
    again = "put back the newest backup of the control database (or: docs/rollout.md)"
    return [Guard(name="newest row", passed=False, says=says, next_command=again)]


def may_be_released(work: RolloutWork, record: RunRecord) -> list[Guard]:
    """A run that may be staged: of this slice, GO, proven, published, intact, and of no other."""
    place = f"{record.context}/{record.region}"
    guards = [
        Guard(
            name="run",
            passed=record.status == "complete" and place == f"{work.context}/{work.region}",
            says=f"run {record.run_id} of {place} is {record.status}",
            next_command=f"cutline run {work.context} --region {work.region}",
        ),
        is_go(work, record),
    ]
    if all(guard.passed for guard in guards):
        guards += [_certificate(record), _publication(work, record), _intact(work, record)]
        guards.append(_newer(work, record))
    if all(guard.passed for guard in guards):
        guards.append(no_overlap(work, record))
    return guards


def is_go(work: RolloutWork, record: RunRecord) -> Guard:
    """A run was decided GO, by the settings of now."""
    changed = _changed_settings(work, record)
    return Guard(
        name="decision",
        passed=record.decision == "go" and not changed,
        says=f"its decision is {(record.decision or 'not there').upper()}"
        + (f": {record.decided_by}" if record.decided_by else "")
        + changed,
        next_command=_run_again(work) if changed else f"cutline show {record.run_id} breaks",
    )


def stays_releasable(work: RolloutWork, record: RunRecord) -> list[Guard]:
    """A run that a plan carried on to, which is GO, and is to be a release without `stage`."""
    return [_certificate(record), _publication(work, record), no_overlap(work, record)]


def has_release(work: RolloutWork) -> Guard:
    """A release was staged."""
    number = work.standing.staged or work.standing.release
    if number is None:
        return Guard(
            name="release",
            passed=False,
            says="no release was staged",
            next_command=f"{command(work, 'stage')} RUN",
        )
    release = work.existing_release(number)
    return Guard(name="release", passed=True, says=f"release {number}, of run {release.run_id}")


def newest_is_go(work: RolloutWork) -> Guard:
    """The newest complete run of the slice was decided GO, by the settings of now."""
    runs = work.control.runs(work.context, work.region)
    newest = newest_complete(runs)
    changed = "" if newest is None else _changed_settings(work, newest)
    says = "no run is complete" if newest is None else f"run {newest.run_id}: {newest.decision}"
    return Guard(
        name=NEWEST_DECISION,
        passed=newest is not None and newest.decision == "go" and not changed,
        says=says + changed,
        next_command=_run_again(work),
    )


def _changed_settings(work: RolloutWork, record: RunRecord) -> str:
    """What the project's files say otherwise since a run of the slice was decided, to be put behind
    its decision; empty where that was by the settings of now."""
    if (record.context, record.region) != (work.context, work.region):
        return ""
    changed = changed_settings(work.project, record)
    return f", by settings that are no more: {'; '.join(changed)}" if changed else ""


def _run_again(work: RolloutWork) -> str:
    # The inputs may be those of an earlier run again.
    return f"cutline run {work.context} --region {work.region} --again"


def ready(work: RolloutWork) -> Guard:
    """No gate of readiness is red; nothing is asked where cutline.yaml declares none for the
    context, and the guard says so."""
    if work.context not in work.project.file.readiness:
        says = f"not asked: cutline.yaml has no readiness.{work.context}, so nothing is known"
        return Guard(name="readiness", passed=True, says=says)
    readiness = readiness_of(work.project, work.control, work.context, work.region)
    red = readiness.red
    says = readiness.summary
    if red:
        says += "; " + "; ".join(f"{gate.gate}: {gate.says}" for gate in red)
    return Guard(
        name="readiness",
        passed=not red,
        says=says,
        next_command=f"cutline readiness {work.context} --region {work.region}",
    )


def legacy_writes(work: RolloutWork) -> Guard:
    """The legacy writes the slice, and is not held."""
    return _writes_are(work, "legacy", "reverse writes")


def new_writes(work: RolloutWork) -> Guard:
    """The new side writes the slice."""
    return _writes_are(work, "new", "switch writes")


def _writes_are(work: RolloutWork, side: Writes, otherwise: str) -> Guard:
    writes = work.standing.writes
    return Guard(
        name="writes",
        passed=writes == side,
        says=f"writes are {writes}",
        next_command=command(work, otherwise),
    )


def goes_forward(
    work: RolloutWork, reads: Reads, percent: int | None, release: int | None
) -> Guard:
    """The change of reads is one, and leads forward: what leads back is a reversal. A smaller share
    leads back, unless it is of another release."""
    standing = work.standing
    now, then = READS.index(standing.reads), READS.index(reads)
    is_smaller = (
        now == then and standing.release == release and (percent or 0) < (standing.percent or 0)
    )
    is_standing = (standing.reads, standing.percent, standing.release) == (reads, percent, release)
    share = f" {standing.percent} %" if standing.percent is not None else ""
    says = f"reads are {standing.reads}{share}, of release {standing.release or 'none'}"
    return Guard(
        name="direction",
        passed=then >= now and not is_standing and not is_smaller,
        says=says + (": nothing would change" if is_standing else ""),
        next_command=None if is_standing else command(work, "reverse reads"),
    )


def no_foreign_writes(work: RolloutWork, number: int | None) -> Guard:
    """The read model of a release holds what was projected, and what events brought since."""
    read_model, release = work.read_model, work.release(number)
    if read_model is None or release is None:
        says = (
            "no read model is declared" if read_model is None else "there is no release to compare"
        )
        return Guard(name="read model", passed=True, says=says)
    again = f"{command(work, 'stage')} {release.run_id}"
    if work.standing.writes == "new":
        # Nothing is staged of a slice that the new side writes.
        again = f"{command(work, 'reverse writes')} (or put the rows back by hand)"
    version = work.read_model_version(release)
    if version is None:
        return Guard(
            name="read model",
            passed=False,
            says=f"release {number} was staged before cutline.yaml declared a read model",
            next_command=again,
        )
    try:
        foreign = read_model.verify(version)
    except RunFailed as error:
        return Guard(name="read model", passed=False, says=error.what, next_command=again)
    if not foreign:
        return Guard(
            name="read model", passed=True, says=f"release {number} is as it was projected"
        )
    return Guard(
        name="read model",
        passed=False,
        says="; ".join(write.sentence for write in foreign[:3])
        + (f", and {len(foreign) - 3} more" if len(foreign) > 3 else ""),
        next_command=again,
    )


def topics_unchanged(work: RolloutWork, number: int | None) -> list[Guard]:
    """The topics of a release end where they did when it was recorded; no guard where it has none
    of its own, and none is asked for."""
    release = work.release(number)
    if release is None:
        return []
    is_recorded = has_topics(work, release)
    if not is_recorded and not work.project.file.rollout.release_topics:
        return []
    again = f"{command(work, 'stage')} {release.run_id}"
    if not is_recorded:
        says = f"release {number} was staged before cutline.yaml asked for topics of its own"
        return [Guard(name="release topics", passed=False, says=says, next_command=again)]
    try:
        changed = changed_topics(work, release)
    except RunFailed as error:
        return [Guard(name="release topics", passed=False, says=error.what, next_command=again)]
    says = "; ".join(changed) or f"the topics of release {number} end where they did"
    return [Guard(name="release topics", passed=not changed, says=says, next_command=again)]


def fed_up_to_now(work: RolloutWork, number: int | None) -> Guard:
    """The read model of a release has the live events that came, where its slice is fed or the new
    side has written."""
    passed, says, next_command = release_feed(work, number)
    return Guard(name="feed", passed=passed, says=says, next_command=next_command)


def holding_declared(work: RolloutWork) -> Guard:
    """cutline.yaml says how the legacy's writes are held, and the legacy answers."""
    section = work.project.file.rollout.legacy_writes
    if section is None:
        return Guard(
            name="legacy",
            passed=False,
            says="cutline.yaml does not say how the legacy refuses writes: rollout.legacy_writes",
            next_command="edit cutline.yaml as docs/rollout.md shows",
        )
    try:
        legacy = work.legacy
        is_denied = legacy.is_true("denied", section.denied, epoch=work.standing.epoch + 1)
        if section.frozen is not None:
            # A query that fails is found out before anything is held.
            legacy.is_true("frozen", section.frozen, epoch=work.standing.epoch + 1)
    except CutlineError as error:
        return Guard(name="legacy", passed=False, says=error.what, next_command=error.next_step)
    if is_denied:
        return Guard(
            name="legacy",
            passed=False,
            says=f"a denial of epoch {work.standing.epoch + 1} stands there, which this rollout "
            "never made",
            next_command="remove it from the legacy by hand",
        )
    if not legacy.knows_transactions and section.open_transactions is None:
        return Guard(
            name="legacy",
            passed=False,
            says="nothing says which transactions are open there: "
            "rollout.legacy_writes.open_transactions",
            next_command="edit cutline.yaml as docs/rollout.md shows",
        )
    says = f"answers; writes are held for at most {section.seconds} s"
    if section.drained is None:
        says += "; nothing is said to lie between it and what runs read"
    return Guard(name="legacy", passed=True, says=says)


def denial_stands(work: RolloutWork) -> Guard:
    """The legacy still refuses the writes of a slice that the new side writes."""
    section, denial = work.project.file.rollout.legacy_writes, work.standing.denial
    again = f"{command(work, 'reverse writes')} (or put the denial back by hand)"
    if section is None or denial is None:
        says = "nothing says how the legacy is asked for its denial: rollout.legacy_writes"
        return Guard(name=DENIAL, passed=False, says=says, next_command=again)
    try:
        stands = work.legacy.is_true("denied", section.denied, epoch=denial)
        is_endless = section.frozen is None or work.legacy.is_true(
            "frozen", section.frozen, epoch=denial
        )
    except CutlineError as error:
        return Guard(name=DENIAL, passed=False, says=error.what, next_command=error.next_step)
    says = f"the denial of epoch {denial} stands in the legacy"
    if not stands:
        says = f"the denial of epoch {denial} is gone from the legacy, which takes writes again"
    elif not is_endless:
        says = f"the denial of epoch {denial} ends by itself: the legacy will take writes again"
    return Guard(name=DENIAL, passed=stands and is_endless, says=says, next_command=again)


def feed_ready(work: RolloutWork) -> Guard:
    """The feed to the legacy runs, so that writes can be reversed."""
    section = work.project.file.rollout.reverse_feed
    if section is None or work.project.file.rollout.legacy_writes is None:
        return Guard(
            name="reverse feed",
            passed=False,
            says="cutline.yaml does not say what brings new writes back: rollout.reverse_feed",
            next_command="edit cutline.yaml as docs/rollout.md shows",
        )
    try:
        ready = work.feed_database.is_true("ready", section.ready)
    except CutlineError as error:
        return Guard(
            name="reverse feed", passed=False, says=error.what, next_command=error.next_step
        )
    return Guard(
        name="reverse feed",
        passed=ready,
        says="it runs" if ready else "it does not run: rollout.reverse_feed.ready is not true",
        next_command=None if ready else "start the feed",
    )


def all_reads_new(work: RolloutWork) -> Guard:
    """Everybody reads the newest release of the new side."""
    standing = work.standing
    newest = standing.staged in (None, standing.release)
    return Guard(
        name="reads",
        passed=standing.reads == "new" and newest,
        says=f"reads are {standing.reads}, of release {standing.release or 'none'}"
        + ("" if newest else f"; release {standing.staged} is staged and not read"),
        next_command=command(work, "switch reads"),
    )


def somebody_reads(work: RolloutWork) -> Guard:
    """Reads have left the legacy."""
    reads = work.standing.reads
    return Guard(name="reads", passed=reads != "legacy", says=f"reads are {reads}")


def no_strays(work: RolloutWork) -> Guard:
    """No side decided without the authority to, but what somebody settled."""
    again = command(work, "decisions")
    try:
        decisions = reconcile_decisions(work.project, work.control, work.context, work.region)
    except CutlineError as error:
        return Guard(
            name="decisions",
            passed=False,
            says=f"what both sides decided cannot be read: {error.what}",
            next_command=error.next_step or again,
        )
    return Guard(
        name="decisions",
        passed=not decisions.unsettled,
        says=decisions.sentence,
        next_command=again,
    )


def _certificate(record: RunRecord) -> Guard:
    result = record.result_of(ProjectResult)
    rows = result.certificate if result else ()
    violated = [row for row in rows if row.status == VIOLATED]
    says = f"{len(rows)} obligations, none violated"
    if violated:
        says = f"violated: {', '.join(f'{row.obligation} ({row.by})' for row in violated)}"
    return Guard(
        name="certificate",
        passed=bool(rows) and not violated,
        says=says if rows else "the run has none",
        next_command=f"cutline certify {record.run_id}",
    )


def _publication(work: RolloutWork, record: RunRecord) -> Guard:
    passed, says = is_published(work, record)
    return Guard(
        name="publication",
        passed=passed,
        says=says,
        next_command=f"cutline run {work.context} --region {work.region}",
    )


def _intact(work: RolloutWork, record: RunRecord) -> Guard:
    try:
        refuse_changed(work.project, record)
    except RunFailed as error:
        return Guard(name="lake", passed=False, says=error.what, next_command=error.next_step)
    return Guard(
        name="lake", passed=True, says=f"{len(record.tables())} tables are as they were written"
    )


def _newer(work: RolloutWork, record: RunRecord) -> Guard:
    number = work.standing.staged or work.standing.release
    release = work.release(number)
    if release is None:
        return Guard(name="age", passed=True, says="it is the first release of the slice")
    standing = work.run(release.run_id)
    if standing.run_id == record.run_id:
        # Staged again where its read model was written by somebody else since.
        return Guard(name="age", passed=True, says=f"release {number} is of the same run")
    return Guard(
        name="age",
        passed=record.created_at > standing.created_at,
        says=f"release {number} is of run {standing.run_id}, which was begun at "
        f"{standing.created_at:%Y-%m-%d %H:%M:%S}",
        next_command=f"cutline runs {work.context} --region {work.region}",
    )


def no_declared_overlap(work: RolloutWork) -> Guard:
    """No other slice of the context that is rolled out takes rows of this one by what cutline.yaml
    declares: of the same sources a region with `everything` has the rows of all others."""
    others = [region for _, region in work.control.rolled_out(work.context)]
    # Only of those that could have its rows it is asked where they stand: others may be damaged.
    overlapping = [
        region
        for region in overlapping_regions(work.project, work.region, others)
        if (rollout := work.control.rollout(work.context, region)) is not None
        and rollout.ending != "cancelled"
    ]
    if not overlapping:
        says = "no other slice that is rolled out is declared to have its rows"
        return Guard(name="declared overlap", passed=True, says=says)
    is_wide = work.project.file.regions[work.region].everything
    every = work.region if is_wide else overlapping[0]
    return Guard(
        name="declared overlap",
        passed=False,
        says=f"{', '.join(overlapping)} of {work.context} is rolled out already, and region "
        f"{every} has `everything`: two would decide for one entity",
        next_command=f"cutline rollout show {work.context}",
    )


def no_overlap(work: RolloutWork, record: RunRecord) -> Guard:
    """No other slice that is rolled out has a subject of the run."""
    common = overlaps(work, record)
    if not common:
        return Guard(name="overlap", passed=True, says="no other slice has a subject of it")
    return Guard(
        name="overlap",
        passed=False,
        says="; ".join(map(str, common)),
        next_command="let the `region` predicates of cutline.yaml tell the slices apart",
    )
