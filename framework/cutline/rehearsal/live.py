"""What became of live traffic while something was rehearsed beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.project.readiness import LiveGroup
from cutline.rehearsal.interface import LiveLook


def offset_figures(
    before: LiveLook,
    after: LiveLook,
    worst_lag: Mapping[str, int],
    groups: tuple[LiveGroup, ...],
) -> dict[str, Any]:
    """Figures of the gate of offsets: no topic became shorter, no group went back, and none was
    further behind than it may be."""
    problems = []
    problems += _went_back("topic", before.ends, after.ends)
    problems += _went_back("group", before.committed, after.committed)
    for group in groups:
        lag = worst_lag.get(group.place, 0)
        if lag > group.messages:
            problems.append(
                f"group {group.group} was {lag:,} messages behind on {group.topic}, and may be "
                f"{group.messages:,}"
            )
    partitions = sum(len(ends) for ends in before.ends.values())
    of_groups = (
        f"{len(before.committed)} live groups kept theirs" if groups else "no group is declared"
    )
    says = f"{partitions} partitions of {len(before.ends)} topics kept their offsets; {of_groups}"
    return {
        "passed": not problems,
        "says": "; ".join(problems[:3]) or says,
        "before": {"ends": before.ends, "committed": before.committed, "lag": before.lag},
        "after": {"ends": after.ends, "committed": after.committed, "lag": after.lag},
        "worst_lag": worst_lag,
    }


def _went_back(
    kind: str,
    before: Mapping[str, Mapping[str, int]],
    after: Mapping[str, Mapping[str, int]],
) -> list[str]:
    """A sentence for each partition whose offset is smaller than it was."""
    return [
        f"{kind} {name}, partition {number}: offset {then:,} became {now:,}"
        for name, offsets in before.items()
        for number, then in offsets.items()
        if (now := after.get(name, {}).get(number, -1)) < then
    ]
