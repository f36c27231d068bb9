"""The live topics of a context, of the kind that cutline.yaml says."""

from __future__ import annotations

from cutline.errors import ConfigurationError
from cutline.feed.files import FileTail
from cutline.feed.tail import TopicTail
from cutline.project.loaded import LoadedProject
from cutline.topics.live import live_places


def live_tail(project: LoadedProject, context: str) -> TopicTail:
    """The live topics that cutline.yaml declares. ConfigurationError where it declares none."""
    if not project.file.contexts[context].live.aggregates:
        raise ConfigurationError(
            f"contexts.{context}.live.aggregates is missing: without live topics there is nothing "
            "to feed",
            left_behind="Nothing was changed.",
            next_step="Name the aggregates whose live topics are to be read.",
        )
    places = live_places(project, context)
    if not places:
        return FileTail(project, context)
    from cutline.feed.kafka import KafkaTail

    return KafkaTail(places)
