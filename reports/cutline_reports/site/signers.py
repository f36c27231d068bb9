"""Who must sign a run, as far as project and report name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]
_UNCOMPARED = "compared:"


def signers(
    gates: Iterable[Row], waivers: Iterable[Row], accepted: Iterable[Row], assumed: Iterable[Row]
) -> list[dict[str, Any]]:
    """The people, each with what they answer for; the name is null where nobody is named.

    The decision comes first, then the owners of waivers that took breaks and of accepted exceptions
    that occurred, then aggregates of which nothing is compared, and what cutline.yaml assumes.
    """
    owned: dict[str, list[str]] = {}
    for waiver in waivers:
        if waiver["taken"]:
            owned.setdefault(waiver["owner"], []).append(f"waiver {waiver['name']}")
    for group in accepted:
        if group["share"]["part"]:
            owned.setdefault(group["owner"], []).append(f"exceptions of {group['rule']}")
    uncompared = [
        gate["name"].removeprefix(_UNCOMPARED)
        for gate in gates
        if gate["name"].startswith(_UNCOMPARED)
    ]
    declared = sorted({row["code"] for row in assumed if row["sources"]})
    return [
        {"name": None, "answers_for": ["the decision, as lead of the migration"]},
        *({"name": owner, "answers_for": things} for owner, things in owned.items()),
        *(
            {"name": None, "answers_for": [f"that nothing of {name} is compared"]}
            for name in uncompared
        ),
        *(
            [{"name": None, "answers_for": [f"what is assumed of sources: {', '.join(declared)}"]}]
            if declared
            else []
        ),
    ]
