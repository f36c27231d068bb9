"""Sources: reads legacy systems, as files and databases, into rows of changes tables."""

from cutline.sources.checked import check
from cutline.sources.identity import positions

__all__ = ["check", "positions"]
