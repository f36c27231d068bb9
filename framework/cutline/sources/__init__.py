"""Sources: reads legacy systems, as files and databases, into rows of changes tables."""

from cutline.sources.check import check_sources
from cutline.sources.content_digests import digest_sources

__all__ = ["check_sources", "digest_sources"]
