"""Sources: reads legacy systems, as files and databases, into rows of changes tables."""

from cutline.sources.check_sources import check
from cutline.sources.content_digests import positions

__all__ = ["check", "positions"]
