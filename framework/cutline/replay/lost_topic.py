"""Whether what a complete replay sent may stand where it was sent to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.topics.catalog import topic_catalog


def lost_topic(project: LoadedProject, sent: Mapping[str, Any]) -> str | None:
    """The topic that is not there any more, or ends before as many records as were sent to it;
    null where there is none. `sent` has by topic and partition what was read back. RunFailed where
    topics cannot be reached."""
    places = [(*place.removesuffix("]").rsplit("[", 1), sent[place]["records"]) for place in sent]
    ends = topic_catalog(project).ends(sorted({topic for topic, _, _ in places}))
    return next(
        (t for t, number, records in places if ends.get(t, {}).get(number, 0) < records), None
    )


def lost_error(replay: str, topic: str) -> ConfigurationError:
    """The error for a complete replay of which a topic is lost."""
    return ConfigurationError(
        f"{replay} was complete, and topic {topic} is not there any more, or was made anew since",
        left_behind="Nothing was sent.",
        next_step="Run the same command with --plan-anew: it sends all that was asked for again.",
    )
