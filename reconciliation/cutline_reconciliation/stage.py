"""The stage `reconcile`. Importing it does not load Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.stage import RECONCILE as NAME
from cutline.stage import Stage, StageResult

if TYPE_CHECKING:
    from cutline.workspace import Workspace


def _perform(workspace: Workspace) -> StageResult:
    from cutline_reconciliation.perform import perform

    return perform(workspace)


RECONCILE = Stage(NAME, _perform)
