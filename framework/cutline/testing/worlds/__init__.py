"""The translation of many small histories, each in a world of its own, in one Spark job."""

from cutline.testing.worlds.results import AnnouncedEvent, RowEnd
from cutline.testing.worlds.translate import translate_worlds

__all__ = ["AnnouncedEvent", "RowEnd", "translate_worlds"]
