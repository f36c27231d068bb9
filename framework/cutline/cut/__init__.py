"""Cut lines: which changes are history, as predicates on columns."""

from cutline.cut.commit_timestamp import after_cut
from cutline.cut.exported_snapshot import visible_in_snapshot

__all__ = ["after_cut", "visible_in_snapshot"]
