"""As of when the legacy tells its truth."""

from __future__ import annotations

from typing import Literal

from cutline.project.base import Section
from cutline.project.moment import Moment


class ReconcileSection(Section):
    """How the legacy's truth lies to the cut line."""

    as_of: Literal["cut", "later"] = "cut"
    """`cut`: truth is read from a legacy at rest, or as it was at the cut, and every difference is
    one. `later`: the legacy went on before it was read. What its changes touched after the cut is
    then `late`: it is not compared now, and is owed a comparison."""
    until: Moment | Literal["read"] | None = None
    """The moment up to which truth with a column `changed_at` tells history: what changed after it
    is `late`. `read`: the commit of the newest change that the run has read, of the source that is
    furthest behind, for a legacy that goes on while runs are made. Left out, that of the cut: of
    the source's own one, and the earliest where an aggregate is of several sources."""
