"""The stages of a re-drive that come before reconciliation, in order."""

from __future__ import annotations

import dataclasses
from functools import partial

from cutline.results import EXTRACT
from cutline.stage import Stage
from cutline.stages.advance.merge import ADVANCE_MERGE
from cutline.stages.advance.project import ADVANCE_PROJECT
from cutline.stages.redrive.extract import redrive_extract
from cutline.stages.redrive.selection import ExceptionSelection
from cutline.stages.redrive.translate import redrive_translate
from cutline.stages.translate import TRANSLATE_STAGE


def redrive_stages(selection: ExceptionSelection) -> tuple[Stage, ...]:
    """Extract, translate, merge and project of a re-drive of these exceptions."""
    translate = partial(redrive_translate, selection)
    return (
        Stage(EXTRACT, redrive_extract),
        dataclasses.replace(TRANSLATE_STAGE, perform=translate),
        ADVANCE_MERGE,
        ADVANCE_PROJECT,
    )
