"""Translate of a re-drive: the rows behind the selected exceptions, and what they concern."""

from __future__ import annotations

from cutline.engine.advance import why_not_by_subject
from cutline.errors import ConfigurationError
from cutline.results import TranslateResult
from cutline.stages.advance.translate import translate_concerned
from cutline.stages.redrive.concern import ExceptionConcern
from cutline.stages.redrive.extract import base_of_redrive
from cutline.stages.redrive.selection import ExceptionSelection
from cutline.stages.translate import inputs_of, sources_of
from cutline.translator.translation import Translation
from cutline.workspace import Workspace


def redrive_translate(selection: ExceptionSelection, workspace: Workspace) -> TranslateResult:
    """As `advance_translate`, of the rows that the selected exceptions concern.

    Each event that stands for the fact of one of the base supersedes it.
    """
    refuse_redrive(workspace.translation)
    base, inputs = base_of_redrive(workspace), inputs_of(workspace)
    seeds = selection.rows(workspace.spark, base, sources_of(workspace))
    concern = ExceptionConcern(workspace, base, inputs, seeds)
    return translate_concerned(workspace, base, concern, inputs, redriven=True)


def refuse_redrive(translation: Translation) -> None:
    """ConfigurationError where a subject's results may depend on rows that nothing leads to."""
    if reason := why_not_by_subject(translation):
        raise ConfigurationError(
            f"exceptions of {translation.context.name} cannot be re-driven by themselves: {reason}",
            left_behind="Nothing was started.",
            next_step="cutline run translates everything with the new version.",
        )
