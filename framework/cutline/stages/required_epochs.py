"""From where on the live events of a slice must carry its epoch."""

from __future__ import annotations

from collections.abc import Sequence

from cutline.control import Tenure
from cutline.control.plan import LiveEnds
from cutline.control.tenures import epochs_begin
from cutline.workspace import Workspace


def required_behind(workspace: Workspace, tenures: Sequence[Tenure]) -> LiveEnds | None:
    """Behind which ends of the live topics each event must carry an epoch; None where none must, as
    cutline.yaml does not say so, or the new side never wrote."""
    live = workspace.project.file.contexts[workspace.context.name].live
    return epochs_begin(tenures) if live.epochs == "required" else None
