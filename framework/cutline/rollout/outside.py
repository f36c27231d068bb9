"""What a command asks for outside of the row of its slice. A plan under way keeps the row as it
is, but not this: it is looked at when the plan is made, and again when it is gone on with."""

from __future__ import annotations

from cutline.control.plan import Command, Guard, PlanArguments
from cutline.rollout import columns, guards
from cutline.rollout.work import RolloutWork


def is_frozen(work: RolloutWork) -> bool:
    """Whether the plan under way has made the denial in the legacy one without an end."""
    return "frozen_at" in work.evidence


def outside_guards(work: RolloutWork, command: Command, arguments: PlanArguments) -> list[Guard]:
    """What must hold outside of the row for a command with the arguments of its plan; none for a
    command that leads back, and for what a step waits for by itself."""
    match command:
        case "stage":
            return guards.may_be_released(work, work.run(arguments["run_id"]))
        case "mirror" | "expand":
            return _of_release(work, arguments["release"])
        case "switch reads":
            return [*_of_release(work, arguments["release"]), guards.ready(work)]
        case "migrate":
            reader = arguments["reader"]
            is_declared = columns.is_declared_reader(work, reader)
            return [is_declared, columns.no_dependants(work, of_gone=True)]
        case "contract":
            confirmed = columns.readers_confirmed(work)
            return [confirmed, columns.no_dependants(work, of_gone=False)]
        case "switch writes":
            # Once it is recorded, that of the run which was carried on to under the hold.
            release = work.evidence.get("release", work.standing.release)
            return [
                guards.newest_is_go(work),
                guards.no_foreign_writes(work, release),
                *guards.topics_unchanged(work, release),
                guards.feed_ready(work),
                guards.ready(work),
                *([guards.denial_stands(work)] if is_frozen(work) else []),
            ]
        case "complete":
            return [
                guards.fed_up_to_now(work, arguments["keep"]),
                guards.no_foreign_writes(work, arguments["keep"]),
                guards.denial_stands(work),
                # Last, for it reads sources and topics: what a feed had would be old by then.
                guards.no_strays(work),
            ]
        case _:
            return []


def _of_release(work: RolloutWork, release: int | None) -> list[Guard]:
    return [
        guards.newest_is_go(work),
        guards.no_foreign_writes(work, release),
        *guards.topics_unchanged(work, release),
        guards.fed_up_to_now(work, release),
    ]
