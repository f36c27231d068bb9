"""How far each translator's evidence goes: what a snapshot hides, whose order is assumed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from cutline.stage import TRANSLATE
from cutline.translator import Translator
from cutline.translator.rules import FactRule
from cutline.workspace import Workspace
from cutline_reports.model import Skew, TranslatorUsed


def translators_used(workspace: Workspace) -> tuple[TranslatorUsed, ...]:
    """The translators of the run, as declared, with what their facts and sources can bear."""
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
    """The state columns that Python makes, of the aggregate that the translator speaks of."""
    known = {one.name: one.folded() for one in translator.context.aggregates}
    return known.get(translator.aggregate, ())


def _skew(workspace: Workspace, translator: str) -> Skew | None:
    told = workspace.done[TRANSLATE].facts.get("skew", {}).get(translator)
    if told is None:
        return None
    return Skew(
        sources={n: dt.datetime.fromisoformat(at) for n, at in told["sources"].items()},
        crossings=told["crossings"],
        within_a_minute=told["within_a_minute"],
        within_a_second=told["within_a_second"],
    )
