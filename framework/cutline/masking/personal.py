"""What the contracts and payloads of a context mark as personal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from cutline.context import Aggregate, Event, Fold, Header, Twin
from cutline.context.payload import payload_fields, walk_fields
from cutline.masking.masking import Masking
from cutline.tables.change import changes_name

if TYPE_CHECKING:
    from cutline.translator import Translation, Translator


def masking(translations: Iterable[Translation]) -> Masking:
    """What the translations of one context and its payloads ask to be masked.

    What one version of a contract calls personal is masked whatever another says. Without any
    translation nothing is known, and everything is masked.
    """
    translations_used = tuple(translations)
    tables: dict[str, frozenset[str]] = {}
    for contract in (c for t in translations_used for c in t.contracts()):
        name = changes_name(contract.source(), contract.table())
        tables[name] = tables.get(name, frozenset()) | contract.personal()
    aggregates = {a.name: a for t in translations_used for a in t.context.aggregates}
    columns = {name.casefold() for personal in tables.values() for name in personal}
    older = {
        name.casefold()
        for translation in translations_used
        for contract in translation.contracts()
        for shape in contract.older()
        for name in shape.contract.personal()
    }
    fields = {
        name.casefold()
        for aggregate in aggregates.values()
        for event in aggregate.events
        for name in _personal_names(event)
    }
    twins = {
        name.casefold()
        for translation in translations_used
        for twin in translation.context.twins
        for name in _personal_names_of_twin(twin)
    }
    return Masking(
        names=frozenset(columns | older | fields | twins),
        keys={(c.source(), c.table()): c.key() for t in translations_used for c in t.contracts()},
        subjects=frozenset(
            aggregate
            for translation in translations_used
            for aggregate in _aggregates_of_persons(translation, columns, columns | fields | twins)
        ),
        states={name: frozenset(_personal_states(a)) for name, a in aggregates.items()},
        tables=tables,
        contracts_known=bool(translations_used),
    )


def _aggregates_of_persons(
    translation: Translation, columns: Collection[str], names: Collection[str]
) -> Iterator[str]:
    """The aggregates whose subjects may be made of personal data: of personal `columns` of rows, or
    of personal `names` of live events."""
    # Whoever has a translation has loaded the language.
    from cutline.translator.subject_names import subject_names

    for translator in translation.translators:
        parts = translator.parts.values()
        of_person = any(column.casefold() in columns for part in parts for column in part.subject)
        if of_person:
            yield translator.aggregate
        if not any(name.casefold() in columns for name in _columns_read(translator)):
            continue
        for rule in translator.facts:
            names_read = subject_names(rule.method, translator)
            # Without a subject of its own it is the translator's, of whichever aggregate it is; and
            # of one whose source is not to be read nobody knows what it is made of.
            is_personal = of_person if names_read is not None else True
            if names_read:
                is_personal = any(name.casefold() in columns for name in names_read)
            if is_personal:
                yield translation.context.aggregate_of(rule.event).name
    for twin in translation.context.twins:
        subject = twin.subject.name if isinstance(twin.subject, Header) else twin.subject
        if subject is not None and subject.casefold() in names:
            yield translation.context.aggregate_of(twin.of).name


def _columns_read(translator: type[Translator]) -> Iterator[str]:
    for contract in translator.tables().values():
        yield from contract.columns()
        for shape in contract.older():
            yield from shape.contract.columns()


def _personal_names(event: type[Event]) -> Iterator[str]:
    """The names of the personal fields of a payload, nested ones too; of a list, the list's."""
    for path, _, personal in walk_fields(payload_fields(event)):
        if personal:
            yield path.rsplit(".", 1)[-1].replace("[]", "")


def _personal_names_of_twin(twin: Twin) -> Iterator[str]:
    """The personal fields of a live event, and those fields and headers that ours are read from."""
    yield from _personal_names(twin.live)
    for path, _, personal in walk_fields(payload_fields(twin.of)):
        source = twin.source_of(path.replace("[]", "").split(".")[0])
        if personal and source is not None:
            yield source.name if isinstance(source, Header) else source


def _personal_states(aggregate: Aggregate) -> Iterator[str]:
    """The state columns that take anything personal, be it a part of a nested field."""
    for column, state in aggregate.state.items():
        if isinstance(state, Fold) and any(
            personal
            for event in state.events
            for _, _, personal in walk_fields(payload_fields(event))
        ):
            # Nobody can tell what Python made of it.
            yield column
        for event, name in state.fields():
            if any(
                personal and path.replace("[]", "").split(".")[0] == name
                for path, _, personal in walk_fields(payload_fields(event))
            ):
                yield column
