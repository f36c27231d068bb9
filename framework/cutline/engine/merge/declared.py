"""The policy of a slice: the context's rules, with what the project lays over them."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

from cutline.context import Context, Foreign, MergePolicy
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.merge import ForeignSection, MergeSection
from cutline.tables.event import CORRECTIVE, NATIVE, SYNTHETIC


def policy_of(
    context: Context, section: MergeSection, begins: dt.datetime | None = None
) -> MergePolicy:
    """The context's rules, each with the parameters that the section gives.

    What was said after the cut of a time before `begins`, the effective date of the cut if it has
    one, is late, unless the rules say another moment. ConfigurationError for a foreign event of an
    aggregate, type or origin that there is not.
    """
    policy = context.merge
    for name in type(section).model_fields:
        given = getattr(section, name)
        said = {
            k: _plain(v) for k in type(given).model_fields if (v := getattr(given, k)) is not None
        }
        if said:
            rule = dataclasses.replace(getattr(policy, name), **said)
            policy = dataclasses.replace(policy, **{name: rule})
    for foreign in policy.not_authoritative.foreign:
        _refuse_unknown(foreign, context)
    late = policy.late_arrivals
    if late.before is None and begins is not None:
        late = dataclasses.replace(late, before=begins.astimezone(dt.UTC))
    return dataclasses.replace(policy, late_arrivals=late)


def _plain(value: Any) -> Any:
    """What a rule takes for what a section holds."""
    if isinstance(value, tuple):
        return tuple(_plain(one) for one in value)
    return Foreign(**dict(value)) if isinstance(value, ForeignSection) else value


def _refuse_unknown(foreign: Foreign, context: Context) -> None:
    known = {
        "aggregate": [a.name for a in context.aggregates],
        "type": [e.event_type() for a in context.aggregates for e in a.events],
        "origin": [SYNTHETIC, NATIVE, CORRECTIVE],
    }
    for what, names in known.items():
        name = getattr(foreign, what)
        if name is not None and name not in names:
            raise ConfigurationError(
                f"contexts.{context.name}.merge.not_authoritative.foreign: there is no {what} "
                f"{name!r}.{did_you_mean(name, names)}",
                next_step=f"Known here: {', '.join(names)}.",
            )
