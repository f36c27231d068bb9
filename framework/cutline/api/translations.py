"""Installed translations as plain values, and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutline.context import Context
from cutline.plugins import Plugins
from cutline.translator import Translation, Translator
from cutline.translator.contract import table_name
from cutline.translator.rules import FactRule


def installed(found: Plugins[Translation], contexts: Plugins[Context]) -> dict[str, Any]:
    """`translations` by name and major; `failed` and `failed_contexts` with the reason of each."""
    order = sorted(found.loaded.items(), key=lambda one: (one[1].name, one[1].major))
    return {
        "translations": [
            {
                "entry_point": entry,
                "name": translation.name,
                "version": translation.version,
                "context": translation.context.name,
                "distribution": found.brought_by.get(entry),
                "translators": [_translator(one) for one in translation.translators],
            }
            for entry, translation in order
        ],
        "failed": _reasons(found),
        "failed_contexts": _reasons(contexts),
    }


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The same for people: a paragraph per translation, then what failed."""
    for one in found["translations"]:
        brought = one["distribution"] or "an unknown distribution"
        yield f"{one['name']} {one['version']} for {one['context']}, from {brought}"
        for translator in one["translators"]:
            yield from _lines(translator)
    for broken in found["failed"]:
        yield f"failed   {broken['entry_point']}: {broken['reason']}"
    for broken in found["failed_contexts"]:
        yield f"failed   context {broken['entry_point']}: {broken['reason']}"
    if not found["translations"] and not found["failed"]:
        yield "No translation is installed."


def _reasons(found: Plugins[Any]) -> list[dict[str, str]]:
    return [{"entry_point": entry, "reason": why} for entry, why in found.failed.items()]


def _translator(translator: type[Translator]) -> dict[str, Any]:
    return {
        "name": translator.name(),
        "version": translator.version,
        "aggregate": translator.aggregate,
        "reads": [table_name(part.contract) for part in translator.parts.values()],
        "looks_up": [table_name(lookup.contract) for lookup in translator.lookups.values()],
        "sees_in_commits": [table_name(view.contract) for view in translator.views.values()],
        "facts": [_fact(rule) for rule in translator.facts],
    }


def _fact(rule: FactRule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "event": rule.event.event_type(),
        "kind": rule.kind,
        "lasting": not rule.transient,
        "per_row": rule.per_row,
    }


def _lines(translator: dict[str, Any]) -> Iterator[str]:
    yield f"  {translator['name']} {translator['version']}: {translator['aggregate']}"
    yield f"    reads     {', '.join(translator['reads'])}"
    if translator["looks_up"]:
        yield f"    looks up  {', '.join(translator['looks_up'])}"
    if translator["sees_in_commits"]:
        yield f"    sees      {', '.join(translator['sees_in_commits'])}, in commits"
    for fact in translator["facts"]:
        told = [fact["kind"]] if fact["kind"] != "fact" else []
        told.append("lasting" if fact["lasting"] else "transient")
        if fact["per_row"]:
            told.append("row by row in Python")
        yield f"    announces {fact['event']} ({fact['name']}): {', '.join(told)}"
