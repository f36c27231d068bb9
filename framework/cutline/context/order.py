"""Causal order, in two strengths, as an aggregate declares it.

`requires` is a law: what breaks it is held as an exception, and so is what depends on it.
`expects` and `excludes` are habits that real life breaks: the events flow, marked `inferred`, and
the finding is recorded under the rule's name.
"""

from __future__ import annotations

from dataclasses import dataclass

from cutline.context.event import Event


@dataclass(frozen=True)
class Requires:
    """`event` is held unless one of `first` came before it (or at the same time)."""

    event: type[Event]
    first: type[Event]
    rule: str


@dataclass(frozen=True)
class Expects:
    """A finding `rule` if `first` came later than `event`; `missing` if it never came."""

    event: type[Event]
    first: type[Event]
    rule: str
    missing: str | None = None


@dataclass(frozen=True)
class Excludes:
    """A finding `rule` if `event` came to a subject to which `other` came, whenever that was."""

    event: type[Event]
    other: type[Event]
    rule: str


OrderRule = Requires | Expects | Excludes


def requires(event: type[Event], *, first: type[Event]) -> Requires:
    """The law that `first` comes before `event`, or at the same time.

    An event that breaks it is an exception under the rule `<event>-requires-<first>`.
    """
    return Requires(event, first, f"{event.__name__}-requires-{first.__name__}")


def expects(
    event: type[Event], *, first: type[Event], rule: str, missing: str | None = None
) -> Expects:
    """The habit that `first` comes before `event`.

    `rule` names the finding where it comes later, `missing` the one where it never comes; null for
    no finding then.
    """
    return Expects(event, first, rule, missing)


def excludes(event: type[Event], *, other: type[Event], rule: str) -> Excludes:
    """The habit that `event` does not come to a subject to which `other` came; `rule` names it."""
    return Excludes(event, other, rule)
