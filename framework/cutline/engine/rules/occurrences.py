"""What an occurrence must have, and what tells one occurrence of a fact from another."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.identity import columns as identity
from cutline.tables.event import APPROXIMATE, COMMIT, EFFECTIVE, EXACT, INFERRED
from cutline.translator.occurrence import Occurrence
from cutline.translator.rules import FactRule

BY_FIELDS, BY_KEY, BY_TIME, BY_POSITION, ONCE = "fields", "key", "time", "position", "once"
"""What tells occurrences apart: the payload fields in the event's `identified_by`, the occurrence's
key, its time, or the position of the change; nothing for a fact that happens once to a subject."""


def identity_of(rule: FactRule, occurrence: Occurrence) -> str:
    """One of BY_FIELDS, BY_KEY, BY_TIME, BY_POSITION and ONCE."""
    if rule.event.identified_by:
        return BY_FIELDS
    if not rule.many:
        return ONCE
    if occurrence.key is not None:
        return BY_KEY
    return BY_POSITION if occurrence.at is None else BY_TIME


def refuse_incomplete(rule: FactRule, occurrence: Occurrence, where: str) -> None:
    """ConfigurationError for an occurrence without a time, with a key too many, and the like."""
    _refuse_time(occurrence, where)
    if occurrence.confidence not in (EXACT, INFERRED, APPROXIMATE):
        raise ConfigurationError(
            f"{where}: confidence {occurrence.confidence!r} is none of "
            f"{EXACT}, {INFERRED}, {APPROXIMATE}"
        )
    if occurrence.key is not None and rule.event.identified_by:
        raise ConfigurationError(
            f"{where}: `key` is given, but {rule.event.__name__} is identified by its fields "
            f"{', '.join(rule.event.identified_by)}",
            next_step="Leave `key` out: a native twin of the event knows the fields only.",
        )
    if occurrence.key is not None and not rule.many:
        raise ConfigurationError(
            f"{where}: `key` is given, but the fact happens once to a subject",
            next_step="Say @fact(…, many=True), or leave `key` out.",
        )
    reason = occurrence.replay_safe
    unsaid = not reason.strip() if isinstance(reason, str) else reason
    if rule.event.side_effect and unsaid:
        raise ConfigurationError(
            f"{where}: replay_safe=True, but live consumers of {rule.event.__name__} act on it: "
            f"{rule.event.side_effect}",
            next_step="Say why replaying it does no harm: replay_safe='…the reason…'.",
        )


def _refuse_time(occurrence: Occurrence, where: str) -> None:
    basis = occurrence.time_basis
    if basis not in (None, EFFECTIVE, COMMIT):
        raise ConfigurationError(f"{where}: time_basis {basis!r} is none of {EFFECTIVE}, {COMMIT}")
    if occurrence.at is None and basis != COMMIT:
        raise ConfigurationError(
            f"{where}: the occurrence has no time (`at`), and does not say so",
            next_step='Give the column that holds when it happened, or say time_basis="commit": '
            "then its time is that of the change, and the event is labelled approximate.",
        )


def time_text(at: Column) -> Column:
    """A time as the occurrence of a fact, rough JSON; null for null."""
    text = identity.rough_array([at], ["timestamp"])
    return F.when(at.isNotNull(), text)


def position_text() -> Column:
    """The change's position as the occurrence of a fact, rough JSON."""
    position = F.concat_ws(":", F.col("source"), F.col("table"), F.col("position"))
    return identity.rough_array([position], ["string"])
