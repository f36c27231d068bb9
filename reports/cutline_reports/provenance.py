"""The inputs of a run and its stages: sources, positions, versions, configuration, figures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cutline.cut import lines_of
from cutline.results import ORDER, ExtractResult, ProjectResult, SourceExtract
from cutline.version import __version__
from cutline.workspace import Workspace
from cutline_reports.evidence import translators_used
from cutline_reports.model import ObligationRow, Provenance, SourceRead, StageRow, TableRow


def provenance(workspace: Workspace) -> Provenance:
    """The provenance of a run whose earlier stages are done."""
    project, context, translation = workspace.project, workspace.context, workspace.translation
    return Provenance(
        run_id=workspace.run_id,
        project=project.file.name,
        context=context.name,
        region=workspace.region,
        cut=cut_in_words(workspace),
        recorded_at=workspace.recorded_at,
        cutline_version=__version__,
        configuration_digest=project.digest,
        translation=f"{translation.name} {translation.version}",
        translators=translators_used(workspace),
        sources=_sources(workspace.result_of(ExtractResult).extracts),
        stages=tuple(_stage(workspace, name) for name in ORDER if name in workspace.done),
        lake=without_credentials(workspace.lake.root),
        taken_from=workspace.result_of(ExtractResult).taken_from,
        certificate=_certificate(workspace),
    )


def cut_in_words(workspace: Workspace) -> str:
    """The cut line in sentences; by source where sources have different ones."""
    by_line: dict[str, list[str]] = {}
    for source in sorted(workspace.project.file.sources):
        line = lines_of(workspace.project, workspace.context.name, source).history
        words = line.words() if line is not None else None
        if words is not None:
            text = f"History is {words.history}; the live tail {words.tail}."
            by_line.setdefault(text, []).append(source)
    if len(by_line) == 1:
        return next(iter(by_line))
    return " ".join(f"{', '.join(sources)}: {text}" for text, sources in by_line.items())


def _certificate(workspace: Workspace) -> tuple[ObligationRow, ...]:
    by_row: dict[tuple[str, str, str, str], list[str]] = {}
    for row in workspace.result_of(ProjectResult).certificate:
        key = (row.obligation, row.says, row.status, row.by)
        by_row.setdefault(key, []).extend([row.source] if row.source else [])
    return tuple(ObligationRow(*key, tuple(sources)) for key, sources in by_row.items())


def without_credentials(path: str) -> str:
    """A path or URL without a user and password."""
    return re.sub(r"(?<=://)[^/@]*@", "", path)


def _sources(extracts: Mapping[str, SourceExtract]) -> tuple[SourceRead, ...]:
    return tuple(
        SourceRead(
            name=name,
            extracted_at=extract.extracted_at,
            position=extract.position,
            snapshot=extract.snapshot or "",
            tables=dict(sorted(extract.tables.items())),
        )
        for name, extract in sorted(extracts.items())
    )


def _stage(workspace: Workspace, name: str) -> StageRow:
    result = workspace.done[name]
    return StageRow(
        name=name,
        seconds=workspace.seconds.get(name),
        rows_in=result.rows_in,
        rows_out=result.rows_out,
        tables=tuple(TableRow(t.name, t.rows, t.digest) for t in result.tables),
    )
