"""Lines of a check about lookups and views: the moment as of which a row sees them."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.project import LoadedProject
from cutline.translator.contract import table_name
from cutline.translator.part import Lookup
from cutline.translator.translation import Translation


def lookup_lines(project: LoadedProject, translation: Translation) -> Iterator[str]:
    """A line per lookup of each translator, in the order of declaration."""
    for translator in translation.translators:
        for name, lookup in translator.lookups.items():
            table = table_name(lookup.contract)
            when = _as_of(project, lookup)
            yield f"{translator.name()}: lookup {name} ({table}) is {when}"


def view_lines(translation: Translation) -> Iterator[str]:
    """A line per view of commits, with the facts that use it, in the order of declaration."""
    for translator in translation.translators:
        for name, view in translator.views.items():
            table = table_name(view.contract)
            asking = [fact.name for fact in translator.facts if name in fact.of_commit]
            by = f"asked by {', '.join(asking)}" if asking else "asked by no fact"
            yield f"{translator.name()}: view {name} ({table}) is of the row's own commit, {by}"


def _as_of(project: LoadedProject, lookup: Lookup) -> str:
    source = lookup.contract.source()
    declared = project.file.sources.get(source)
    if lookup.as_of is not None and lookup.valid is not None:
        since, until = lookup.valid
        return f"as of a business time: {lookup.as_of}, from {since} to {until}"
    if declared is not None and declared.changes is None:
        return f"as its snapshot shows it: {source} has no changes"
    return "frozen at the cut" if lookup.frozen else "as of the commit of the row"
