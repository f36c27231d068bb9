"""What topics are called: history never mixes with business as usual."""

from __future__ import annotations

import re

from cutline.errors import ConfigurationError

_PART = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 249


def control(prefix: str, context: str) -> str:
    """Where a run tells that it started, which stages are done and what was decided."""
    return _name(prefix, context, "control")


def progress(prefix: str, context: str) -> str:
    """How far publications have come, for Cutline itself: compacted, on Kafka only."""
    return _name(prefix, context, "progress")


def synthetic(prefix: str, context: str, aggregate: str) -> str:
    """History: the events that translators announced for an aggregate."""
    return _name(prefix, context, aggregate, "synthetic")


def is_history(topic: str) -> bool:
    """Whether a topic is one of history."""
    return topic.endswith(".synthetic")


def live(prefix: str, context: str, aggregate: str) -> str:
    """Business as usual: the native events of an aggregate, written by the new system."""
    return _name(prefix, context, aggregate, "live")


def state(prefix: str, context: str, aggregate: str) -> str:
    """The projected state of an aggregate, compacted: one record a subject."""
    return _name(prefix, context, aggregate, "state")


def is_state(topic: str) -> bool:
    """Whether a topic is one of projected states."""
    return topic.endswith(".state")


def exceptions(prefix: str, context: str) -> str:
    """The rows and events that a person must look at."""
    return _name(prefix, context, "exceptions")


def breaks(prefix: str, context: str) -> str:
    """The differences that reconciliation found."""
    return _name(prefix, context, "breaks")


def rehearsal(prefix: str, *parts: str) -> str:
    """The namespace of a rehearsal by its number, and with more parts a topic in it."""
    return _name(prefix, "rehearsal", *parts)


def _name(*parts: str) -> str:
    name = ".".join(parts)
    if len(name) > _LONGEST or not all(_PART.fullmatch(part) for part in parts):
        raise ConfigurationError(
            f"{name!r} cannot be the name of a topic",
            next_step="Its parts are letters, digits, - and _, "
            f"and the whole is at most {_LONGEST} characters, as Kafka has it.",
        )
    return name
