"""What went into a run: sources, positions, versions, configuration, and what each stage did."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any

from cutline.project.cut import CommitTimestampCut
from cutline.stage import EXTRACT, ORDER
from cutline.version import __version__
from cutline.workspace import Workspace
from cutline_reports.evidence import translators_used
from cutline_reports.model import Provenance, SourceRead, StageRow, TableRow
from cutline_reports.texts import moment_text


def provenance(workspace: Workspace) -> Provenance:
    """The provenance of a run whose earlier stages are done."""
    project, context, translation = workspace.project, workspace.context, workspace.translation
    return Provenance(
        run_id=workspace.run_id,
        project=project.file.name,
        context=context.name,
        region=workspace.region,
        cut=cut_in_words(project.file.contexts[context.name].cut),
        recorded_at=workspace.recorded_at,
        cutline_version=__version__,
        configuration_digest=project.digest,
        translation=f"{translation.name} {translation.version}",
        translators=translators_used(workspace),
        sources=_sources(workspace.done[EXTRACT].facts["extracts"]),
        stages=tuple(_stage(workspace, name) for name in ORDER if name in workspace.done),
        lake=without_credentials(workspace.lake.root),
        taken_from=workspace.done[EXTRACT].facts.get("taken_from"),
    )


def cut_in_words(cut: CommitTimestampCut) -> str:
    """The cut line as a sentence."""
    return (
        f"History is what the sources committed up to and including {moment_text(cut.at)}. "
        "What came later belongs to the live tail."
    )


def without_credentials(path: str) -> str:
    """A path or URL without the user and password it may hold."""
    return re.sub(r"(?<=://)[^/@]*@", "", path)


def _sources(extracts: Mapping[str, Mapping[str, Any]]) -> tuple[SourceRead, ...]:
    return tuple(
        SourceRead(
            name=name,
            extracted_at=dt.datetime.fromisoformat(read["extracted_at"]),
            position=str(read["position"]),
            snapshot=str(read.get("snapshot") or ""),
            tables=dict(read["tables"]),
        )
        for name, read in sorted(extracts.items())
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
