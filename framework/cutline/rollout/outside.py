"""What a command asks for outside of the row of its slice. A plan under way keeps the row as it
is, but not this: it is looked at when the plan is made, and again when it is gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.rollout import columns, guards
from cutline.rollout.plan import Command, Guard
from cutline.rollout.work import RolloutWork


def outside_guards(
    work: RolloutWork, command: Command, arguments: Mapping[str, Any]
) -> list[Guard]:
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
            ]
        case "complete":
            return [
                guards.fed_up_to_now(work, arguments["keep"]),
                _tables_that_stay(work, arguments["keep"]),
                guards.denial_stands(work),
                # Last, for it reads sources and topics: what a feed had would be old by then.
                guards.no_strays(work),
            ]
        case _:
            return []


def _tables_that_stay(work: RolloutWork, release: int | None) -> Guard:
    """As `no_foreign_writes`; nothing is staged any more where the new side writes."""
    guard = guards.no_foreign_writes(work, release)
    if guard.passed:
        return guard
    again = f"{guards.command(work, 'reverse writes')} (or put the rows back by hand)"
    return guard.model_copy(update={"next_command": again})


def _of_release(work: RolloutWork, release: int | None) -> list[Guard]:
    return [
        guards.newest_is_go(work),
        guards.no_foreign_writes(work, release),
        *guards.topics_unchanged(work, release),
        guards.fed_up_to_now(work, release),
    ]
