"""Sources: files, databases and change files of legacy systems, read into changes tables."""

from cutline.sources.check import check_sources
from cutline.sources.content_digests import digest_sources

__all__ = ["check_sources", "digest_sources"]
