"""The mutual order of several sources, which have no common position: assumed, and measured.

Changes of one subject that come from different sources are ordered by their commit times. How
often that decided, and how close the times were, says how far the order can be trusted.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.compose import SKEW
from cutline.results import ExtractResult, SourceSkew
from cutline.translator.translation import Translation
from cutline.workspace import Workspace

_WITHIN = {"crossings": None, "within_a_minute": 60_000_000, "within_a_second": 1_000_000}
"""What is counted of the changes that follow a change of another source, in microseconds."""


def skew_counts(translation: Translation) -> dict[str, Column]:
    """What to observe while the dispositions are written, per translator of several sources."""
    counts: dict[str, Column] = {}
    for translator in _translators_of_several_sources(translation):
        # In whatever version: a run may go on from one of another.
        name = F.substring_index("translator", " ", 1)
        mine = (name == translator) & F.col(SKEW).isNotNull()
        for label, bound in _WITHIN.items():
            near = mine if bound is None else mine & (F.abs(SKEW) <= bound)
            counts[f"{translator}:{label}"] = F.count_if(near)
    return counts


def skew_names(skews: Mapping[str, SourceSkew]) -> dict[str, int]:
    """The counts of `source_skews`, by the names of `skew_counts`."""
    return {
        f"{translator}:{label}": getattr(skew, label)
        for translator, skew in skews.items()
        for label in _WITHIN
    }


def source_skews(workspace: Workspace, counts: Mapping[str, int]) -> dict[str, SourceSkew]:
    """By translator: its sources with their extract times, and the counts of `skew_counts`."""
    extracts = workspace.result_of(ExtractResult).extracts
    return {
        translator: SourceSkew(
            sources={source: extracts[source].extracted_at for source in sources},
            crossings=counts[f"{translator}:crossings"],
            within_a_minute=counts[f"{translator}:within_a_minute"],
            within_a_second=counts[f"{translator}:within_a_second"],
        )
        for translator, (_, sources) in _translators_of_several_sources(
            workspace.translation
        ).items()
    }


def _translators_of_several_sources(translation: Translation) -> dict[str, tuple[str, list[str]]]:
    """Version and sources of each translator whose parts are of more than one source."""
    composed = {}
    for translator in translation.translators:
        sources = sorted({part.contract.source() for part in translator.parts.values()})
        if len(sources) > 1:
            composed[translator.name()] = (translator.version, sources)
    return composed
