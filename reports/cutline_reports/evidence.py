"""The limits of each translator's evidence: a snapshot's gaps, and assumed orders of sources."""

from __future__ import annotations

from collections.abc import Iterable

from cutline.results import TranslateResult
from cutline.translator import Translator
from cutline.translator.rules import FactRule
from cutline.workspace import Workspace
from cutline_reports.model import Skew, TranslatorUsed


def translators_used(workspace: Workspace) -> tuple[TranslatorUsed, ...]:
    """The translators of the run as declared, with the limits of their facts and sources."""
    return tuple(_used(workspace, one) for one in workspace.translation.translators)


def _used(workspace: Workspace, translator: type[Translator]) -> TranslatorUsed:
    return TranslatorUsed(
        name=translator.name(),
        version=translator.version,
        aggregate=translator.aggregate,
        transient=_events(f for f in translator.facts if f.transient),
        per_row=_events(f for f in translator.facts if f.per_row),
        folded=_folded(translator),
        skew=_skew(workspace, translator.name()),
    )


def _events(facts: Iterable[FactRule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fact.event.event_type() for fact in facts))


def _folded(translator: type[Translator]) -> tuple[str, ...]:
    """The state columns that are folded in Python, of the translator's aggregate."""
    folded_columns = {one.name: one.folded() for one in translator.context.aggregates}
    return folded_columns.get(translator.aggregate, ())


def _skew(workspace: Workspace, translator: str) -> Skew | None:
    skew = workspace.result_of(TranslateResult).skew.get(translator)
    if skew is None:
        return None
    return Skew(
        sources=dict(skew.sources),
        crossings=skew.crossings,
        within_a_minute=skew.within_a_minute,
        within_a_second=skew.within_a_second,
    )
