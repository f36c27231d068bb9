"""The topics that there are: where each ends, and how they are removed."""

from cutline.topics.catalog.choice import topic_catalog
from cutline.topics.catalog.interface import Ends, TopicCatalog

__all__ = ["Ends", "TopicCatalog", "topic_catalog"]
