"""The merge policy of a slice: the context's rules, with the parameters that the project sets."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

from cutline.context import Context, Foreign, MergePolicy
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.merge import ForeignSection, MergeSection
from cutline.tables.event import CORRECTIVE, NATIVE, SYNTHETIC


def slice_policy(
    context: Context, section: MergeSection, begins: dt.datetime | None = None
) -> MergePolicy:
    """The context's rules, each with the parameters that the section gives.

    `begins` is the effective date of the cut, if it has one: events after the cut with a business
    time before it are late corrections, unless the rules name another moment. ConfigurationError
    for a foreign event of an unknown aggregate, type or origin.
    """
    policy = context.merge
    for name in type(section).model_fields:
        rule_section = getattr(section, name)
        parameters = {
            field: _rule_value(value)
            for field in type(rule_section).model_fields
            if (value := getattr(rule_section, field)) is not None
        }
        if parameters:
            rule = dataclasses.replace(getattr(policy, name), **parameters)
            policy = dataclasses.replace(policy, **{name: rule})
    for foreign in policy.not_authoritative.foreign:
        _refuse_unknown(foreign, context)
    late = policy.late_arrivals
    if late.before is None and begins is not None:
        late = dataclasses.replace(late, before=begins.astimezone(dt.UTC))
    return dataclasses.replace(policy, late_arrivals=late)


def _rule_value(value: Any) -> Any:
    """A section's value as a merge rule takes it."""
    if isinstance(value, tuple):
        return tuple(_rule_value(item) for item in value)
    return Foreign(**dict(value)) if isinstance(value, ForeignSection) else value


def _refuse_unknown(foreign: Foreign, context: Context) -> None:
    names_of_field = {
        "aggregate": [a.name for a in context.aggregates],
        "type": [e.event_type() for a in context.aggregates for e in a.events],
        "origin": [SYNTHETIC, NATIVE, CORRECTIVE],
    }
    for field, names in names_of_field.items():
        name = getattr(foreign, field)
        if name is not None and name not in names:
            raise ConfigurationError(
                f"contexts.{context.name}.merge.not_authoritative.foreign: there is no {field} "
                f"{name!r}.{did_you_mean(name, names)}",
                next_step=f"Known here: {', '.join(names)}.",
            )
