"""The plan of each command, with its guards looked at now."""

from __future__ import annotations

from typing import Any

from cutline.control.plan import Command, Guard, Plan
from cutline.control.tenures import LIVE_ENDS
from cutline.errors import CutlineError
from cutline.rollout import columns, guards
from cutline.rollout.command_steps import command_steps
from cutline.rollout.fed import release_feed
from cutline.rollout.live import live_ends, written_between
from cutline.rollout.outside import outside_guards
from cutline.rollout.release_topics import may_have_topics
from cutline.rollout.steps.reads import READ_COLUMNS
from cutline.rollout.steps.release import next_release
from cutline.rollout.work import RolloutWork


def plan_open(work: RolloutWork) -> Plan:
    """Begin the rollout of a slice."""
    rollout = work.rollout
    # Behind `complete` the new side decides, and the legacy's denial stands.
    ended = rollout is None or rollout.ending == "cancelled"
    says = "the slice was never rolled out"
    if rollout is not None:
        says = f"its rollout is {rollout.ending or 'open'}"
    guard = Guard(
        name="not open",
        passed=ended,
        says=says,
        next_command=None if ended else f"cutline rollout show {work.context}",
    )
    return _plan(work, "open", [guard, guards.no_declared_overlap(work)])


def plan_stage(work: RolloutWork, run_id: str) -> Plan:
    """Prepare what a run offers as a release."""
    checks = _standing_guards(work)
    if all(guard.passed for guard in checks):
        run_id = work.run(run_id).run_id
        checks.append(guards.legacy_writes(work))
        checks += outside_guards(work, "stage", {"run_id": run_id})
    return _plan(work, "stage", checks, run_id=run_id, release=next_release(work))


def plan_mirror(work: RolloutWork, percent: int) -> Plan:
    """Let a share of reads be asked of both sides; the legacy answers."""
    return _plan_reads(work, "mirror", "mirror", percent)


def plan_switch_reads(work: RolloutWork, percent: int | None) -> Plan:
    """Let a share of readers, or all of them, be answered by the new side."""
    reads = "new" if percent is None or percent == 100 else "canary"
    return _plan_reads(work, "switch reads", reads, None if reads == "new" else percent)


def _plan_reads(work: RolloutWork, command: Command, reads: Any, percent: int | None) -> Plan:
    checks = _standing_guards(work)
    release = None
    if all(guard.passed for guard in checks):
        checks.append(guards.has_release(work))
    if all(guard.passed for guard in checks):
        release = work.standing.staged or work.standing.release
        checks += [
            guards.legacy_writes(work),
            guards.goes_forward(work, reads, percent, release),
            columns.is_not_breaking(work, release),
        ]
        if release != work.standing.release:
            checks.append(columns.is_not_expanded(work))
        checks += outside_guards(work, command, {"release": release})
    return _plan(work, command, checks, reads=reads, percent=percent, release=release)


def plan_reverse_reads(work: RolloutWork) -> Plan:
    """Put back who was read before, and which release."""
    checks = _standing_guards(work)
    arguments: dict[str, Any] = {}
    if all(guard.passed for guard in checks):
        checks += [
            guards.legacy_writes(work),
            guards.somebody_reads(work),
            columns.may_go_back(work),
        ]
        standing = work.standing
        # Without anything before, the legacy is what was there before.
        arguments = {
            "reads": standing.previous_reads or "legacy",
            "percent": standing.previous_percent,
            "release": standing.previous if standing.previous_reads else None,
            "reversed": True,
            "was": {name: getattr(standing, name) for name in READ_COLUMNS},
        }
        checks.append(_put_back(work, arguments["release"]))
    is_to_legacy = arguments.get("release") is None
    return _plan(work, "reverse reads", checks, is_to_legacy=is_to_legacy, **arguments)


def plan_expand(work: RolloutWork) -> Plan:
    """Let services read the columns of the staged release beside those that they read now."""
    checks = _standing_guards(work)
    release = base = None
    if all(guard.passed for guard in checks):
        checks.append(guards.has_release(work))
    if all(guard.passed for guard in checks):
        release, base = work.standing.staged, work.standing.release
        checks += [
            guards.legacy_writes(work),
            columns.is_not_expanded(work),
            columns.is_breaking(work, release),
            *outside_guards(work, "expand", {"release": release}),
        ]
    return _plan(work, "expand", checks, release=release, expanded=base)


def plan_migrate(work: RolloutWork, reader: str) -> Plan:
    """Confirm that a service reads the new columns."""
    checks = _standing_guards(work)
    if all(guard.passed for guard in checks):
        checks.append(columns.is_expanded(work))
    if all(guard.passed for guard in checks):
        checks += outside_guards(work, "migrate", {"reader": reader})
    return _plan(work, "migrate", checks, reader=reader)


def plan_contract(work: RolloutWork) -> Plan:
    """Let the views show the columns of the release alone."""
    checks = _standing_guards(work)
    if all(guard.passed for guard in checks):
        checks += [guards.legacy_writes(work), columns.is_expanded(work)]
    if all(guard.passed for guard in checks):
        checks += outside_guards(work, "contract", {})
    return _plan(work, "contract", checks)


def plan_reverse_contract(work: RolloutWork) -> Plan:
    """Let the views show the columns of the release before again, beside those of the release."""
    checks = _standing_guards(work)
    release = base = None
    if all(guard.passed for guard in checks):
        release, base = work.standing.release, work.standing.previous
        checks += [guards.legacy_writes(work), columns.was_contracted(work)]
    return _plan(work, "reverse contract", checks, release=release, expanded=base)


def plan_switch_writes(work: RolloutWork) -> Plan:
    """Give the writes of the slice to the new side."""
    checks = _standing_guards(work)
    if all(guard.passed for guard in checks):
        checks += [
            guards.legacy_writes(work),
            guards.all_reads_new(work),
            columns.is_not_expanded(work),
            guards.holding_declared(work),
            *outside_guards(work, "switch writes", {}),
        ]
    return _plan(work, "switch writes", checks, undone_by_itself=True)


def plan_reverse_writes(work: RolloutWork) -> Plan:
    """Give the writes of the slice back to the legacy."""
    checks = _standing_guards(work)
    if all(guard.passed for guard in checks):
        checks += [guards.new_writes(work), guards.feed_ready(work)]
    if all(guard.passed for guard in checks):
        # It is told, and stops nobody who goes back: the legacy holds what it is given.
        tables = guards.no_foreign_writes(work, work.standing.release)
        checks.append(tables.model_copy(update={"passed": True, "next_command": None}))
        checks.append(_written_since(work))
    return _plan(work, "reverse writes", checks, undone_by_itself=True)


def plan_complete(work: RolloutWork) -> Plan:
    """End the rollout: nothing is fed back any more, and only the release's tables stay."""
    checks = _standing_guards(work)
    keep = None
    if all(guard.passed for guard in checks):
        checks += [guards.new_writes(work), guards.all_reads_new(work)]
        keep = work.standing.release
    if all(guard.passed for guard in checks):
        checks.append(columns.is_not_expanded(work))
        checks += outside_guards(work, "complete", {"keep": keep})
    return _plan(work, "complete", checks, ending="complete", keep=keep, release=keep)


def plan_cancel(work: RolloutWork) -> Plan:
    """End the rollout with the legacy as it was; what it had prepared is removed."""
    checks = _standing_guards(work)
    if all(guard.passed for guard in checks):
        checks.append(guards.legacy_writes(work))
    return _plan(work, "cancel", checks, ending="cancelled", keep=None)


def _standing_guards(work: RolloutWork) -> list[Guard]:
    open_ = guards.is_open(work)
    if not open_.passed:
        return [open_]
    return [open_, guards.nothing_under_way(work), *guards.row_is_newest(work)]


def _put_back(work: RolloutWork, number: int | None) -> Guard:
    """What a release that is put back has not of what was written since: it is told, and stops
    nothing."""
    if number is None:
        says = "the legacy answers, which has had the writes all along"
        return Guard(name="written since", passed=True, says=says)
    try:
        _, says, _ = release_feed(work, number)
    except CutlineError as error:
        says = f"it is not known what it has of what was written since: {error.what}"
    return Guard(name="written since", passed=True, says=f"release {number} is put back: {says}")


def _written_since(work: RolloutWork) -> Guard:
    """What the new side has written since it writes: it is told, and stops nothing."""
    flips = [
        line
        for line in work.control.rollout_ledger(work.context, work.region)
        if line.event == "done" and line.step == "flip"
    ]
    earlier = flips[0].recorded.get(LIVE_ENDS) if flips else {}
    since = f" since {flips[0].changed_at:%Y-%m-%d %H:%M}" if flips else ""
    if earlier is None:
        says = f"it is not known what the new side has written{since}: the topics did not answer"
        return Guard(name="written since", passed=True, says=says)
    try:
        count = written_between(earlier, live_ends(work.project, work.context))
    except CutlineError as error:
        # A broker that is gone is a reason to go back, and none not to.
        says = f"it is not known what the new side has written{since}: {error.what}"
        return Guard(name="written since", passed=True, says=says)
    shared = ", with those of its other regions" if len(work.project.file.regions) > 1 else ""
    return Guard(
        name="written since",
        passed=True,
        says=f"the new side has written {count:,} live events{since}{shared}",
    )


def _plan(
    work: RolloutWork,
    command: Command,
    checks: list[Guard],
    *,
    undone_by_itself: bool = False,
    is_to_legacy: bool = False,
    **arguments: Any,
) -> Plan:
    from cutline.readmodels import refuse_neighbours_of_releases

    refuse_neighbours_of_releases(work.project)
    return Plan(
        context=work.context,
        region=work.region,
        command=command,
        version=work.rollout.version if work.rollout else 0,
        arguments=arguments,
        guards=tuple(checks),
        steps=command_steps(
            command,
            work.project.file.rollout,
            has_release_topics=may_have_topics(work.control, work.context, work.region),
            is_to_legacy=is_to_legacy,
        ),
        undone_by_itself=undone_by_itself,
    )
