"""Whether sources tell of commits, where facts ask what else a commit did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.results import SourceLog
from cutline.translator.translation import Translation


def refuse_without_changes(project: LoadedProject, translation: Translation) -> None:
    """ConfigurationError for a view of commits of a source that has no changes."""
    for view, source in _commit_views(translation):
        section = project.file.sources.get(source)
        if section is not None and section.changes is None:
            raise ConfigurationError(
                f"{view} asks what a commit did, and sources.{source} has no changes: a snapshot "
                "tells of no commit",
                next_step=f"Give sources.{source} its `changes`, or leave the view out.",
            )


def refuse_missing_transactions(logs: Mapping[str, SourceLog], translation: Translation) -> None:
    """ConfigurationError for a view of commits of a log of which no change tells its own.

    `logs` is what the extract saw in them.
    """
    for view, source in _commit_views(translation):
        log = logs.get(source)
        if log is None:
            continue
        alone = log.committed_alone()
        if alone and alone >= log.changes:
            raise ConfigurationError(
                f"{view} asks what a commit did, and none of the {alone:,} changes of source "
                f"{source} tells with which others it was committed",
                left_behind="The extract is kept; nothing was translated.",
                next_step="Let the connector write transactions (their ids, or the positions of "
                "commits), or leave the view out.",
            )


def _commit_views(translation: Translation) -> Iterator[tuple[str, str]]:
    """Each view, for people, and its source."""
    for translator in translation.translators:
        for name, view in translator.views.items():
            yield f"translator {translator.__name__}, view {name}", view.contract.source()
