"""The installed translations, what they translate, and the plugins that failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from cutline import display
from cutline.context import Context
from cutline.plugins import Plugins
from cutline.secrets import document_as_written
from cutline.translator import Translation, Translator
from cutline.translator.contract import table_name
from cutline.translator.rules import FactRule


@dataclass(frozen=True)
class InstalledFact:
    """A fact and the event that it announces. `per_row` facts are Python, row by row: slow."""

    name: str
    event: str
    kind: str
    lasting: bool
    per_row: bool


@dataclass(frozen=True)
class InstalledTranslator:
    """A translator: the tables that it reads and looks into, and its facts."""

    name: str
    version: str
    aggregate: str
    reads: tuple[str, ...]
    looks_up: tuple[str, ...]
    sees_in_commits: tuple[str, ...]
    facts: tuple[InstalledFact, ...]


@dataclass(frozen=True)
class InstalledTranslation:
    """A translation by its entry point; `distribution` brought it, None if that is not known."""

    entry_point: str
    name: str
    version: str
    context: str
    distribution: str | None
    translators: tuple[InstalledTranslator, ...]


@dataclass(frozen=True)
class FailedPlugin:
    """An entry point that cannot be used, with the reason. It disturbs nobody else."""

    entry_point: str
    reason: str


@dataclass(frozen=True, repr=False)
class InstalledTranslations:
    """Translations by name and major; entry points of translations and contexts that failed."""

    translations: tuple[InstalledTranslation, ...]
    failed: tuple[FailedPlugin, ...]
    failed_contexts: tuple[FailedPlugin, ...]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline translators --json`."""
        return asdict(self)

    def __iter__(self) -> Iterator[InstalledTranslation]:
        return iter(self.translations)

    def __repr__(self) -> str:
        names = ", ".join(f"{t.name} {t.version}" for t in self.translations)
        failed = len(self.failed) + len(self.failed_contexts)
        return f"<InstalledTranslations {names or 'none'}{f'; {failed} failed' if failed else ''}>"

    def _repr_html_(self) -> str:
        facts = [
            [f"{t.name} {t.version}", t.context, translator.name, fact.event, fact.name, fact.kind]
            for t in self.translations
            for translator in t.translators
            for fact in translator.facts
        ]
        failed = [[p.entry_point, p.reason] for p in (*self.failed, *self.failed_contexts)]
        columns = ("translation", "context", "translator", "event", "fact", "kind")
        return display.section(
            "installed translations",
            display.table(columns, facts),
            *([display.table(("failed", "reason"), failed)] if failed else []),
        )


def installed_translations(
    translations: Plugins[Translation], contexts: Plugins[Context]
) -> InstalledTranslations:
    """What the entry points gave, in the order of name and major."""
    by_name = sorted(translations.loaded.items(), key=lambda entry: _name_and_major(entry[1]))
    return InstalledTranslations(
        tuple(
            InstalledTranslation(
                entry_point,
                translation.name,
                translation.version,
                translation.context.name,
                translations.brought_by.get(entry_point),
                tuple(_translator(translator) for translator in translation.translators),
            )
            for entry_point, translation in by_name
        ),
        _failures(translations),
        _failures(contexts),
    )


def _name_and_major(translation: Translation) -> tuple[str, int]:
    return translation.name, translation.major


def _failures(plugins: Plugins[Any]) -> tuple[FailedPlugin, ...]:
    return tuple(FailedPlugin(entry_point, why) for entry_point, why in plugins.failed.items())


def _translator(translator: type[Translator]) -> InstalledTranslator:
    return InstalledTranslator(
        translator.name(),
        translator.version,
        translator.aggregate,
        tuple(table_name(part.contract) for part in translator.parts.values()),
        tuple(table_name(lookup.contract) for lookup in translator.lookups.values()),
        tuple(table_name(view.contract) for view in translator.views.values()),
        tuple(_fact(rule) for rule in translator.facts),
    )


def _fact(rule: FactRule) -> InstalledFact:
    return InstalledFact(
        rule.name, rule.event.event_type(), rule.kind, not rule.transient, rule.per_row
    )
