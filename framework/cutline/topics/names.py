"""What topics are called: history never mixes with business as usual."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cutline.errors import ConfigurationError

_PART = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 249


@dataclass(frozen=True)
class EventTopics:
    """Where the history and the states of aggregates are sent: topics whose names begin with these
    parts."""

    parts: tuple[str, ...]

    @property
    def namespace(self) -> str:
        """What each of the names begins with, and a dot."""
        return ".".join(self.parts)

    def history(self, aggregate: str) -> str:
        """History: the events that translators announced for an aggregate."""
        return _name(*self.parts, aggregate, "synthetic")

    def state(self, aggregate: str) -> str:
        """The projected state of an aggregate, compacted: one record a subject."""
        return _name(*self.parts, aggregate, "state")

    @property
    def progress(self) -> str:
        """How far publications have come, for Cutline itself: compacted, on Kafka only."""
        return _name(*self.parts, "progress")

    def among(self, topics: Iterable[str]) -> list[str]:
        """Those of some topics that are named so, sorted. An aggregate has no dot in its name, so
        `eu.west` is none of region `eu`."""
        pattern = rf"{re.escape(self.namespace)}\.(progress|[^.]+\.(synthetic|state))"
        return sorted(topic for topic in topics if re.fullmatch(pattern, topic))


def shared_topics(prefix: str, context: str) -> EventTopics:
    """Those of a context: history is there once, whichever run has it."""
    return EventTopics((prefix, context))


def release_topics(prefix: str, context: str, release: int, region: str) -> EventTopics:
    """Those of one release of a slice."""
    return EventTopics((prefix, "release", context, str(release), *region.split(".")))


def topics_by_release(
    prefix: str, context: str, region: str, topics: Iterable[str]
) -> dict[int, list[str]]:
    """By release of a slice, those of some topics that are its own."""
    beginning, numbered = f"{prefix}.release.{context}.", dict[int, list[str]]()
    for topic in topics:
        number = topic.removeprefix(beginning).split(".")[0]
        if topic.startswith(beginning) and number.isdecimal():
            numbered.setdefault(int(number), []).append(topic)
    of_slice = {
        number: release_topics(prefix, context, number, region).among(those)
        for number, those in sorted(numbered.items())
    }
    return {number: those for number, those in of_slice.items() if those}


def control(prefix: str, context: str) -> str:
    """Where a run tells that it started, which stages are done and what was decided."""
    return _name(prefix, context, "control")


def progress(prefix: str, context: str) -> str:
    """How far publications have come, for Cutline itself: compacted, on Kafka only."""
    return shared_topics(prefix, context).progress


def synthetic(prefix: str, context: str, aggregate: str) -> str:
    """History: the events that translators announced for an aggregate."""
    return shared_topics(prefix, context).history(aggregate)


def is_history(topic: str) -> bool:
    """Whether a topic is one of history."""
    return topic.endswith(".synthetic")


def live(prefix: str, context: str, aggregate: str) -> str:
    """Business as usual: the native events of an aggregate, written by the new system."""
    return _name(prefix, context, aggregate, "live")


def state(prefix: str, context: str, aggregate: str) -> str:
    """The projected state of an aggregate, compacted: one record a subject."""
    return shared_topics(prefix, context).state(aggregate)


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
