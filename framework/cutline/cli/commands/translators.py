"""`cutline translators`"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

if TYPE_CHECKING:
    from cutline.api import InstalledFact, InstalledTranslations, InstalledTranslator


@guarded
def translators(json: options.Json = False) -> int:
    """List the installed translations and what they translate; what failed, with the reason.

    Contexts that failed are among them. A broken plugin disturbs nobody else: only `cutline check`
    and `cutline run` stop, if they need it.
    """
    with result() as out:
        from cutline.api import translators as installed_translations

        installed = installed_translations()
        if json:
            out.document(installed.as_json())
        else:
            for line in _lines(installed):
                out.line(line)
    return 0


def _lines(installed: InstalledTranslations) -> Iterator[str]:
    """A paragraph per translation, then what failed."""
    for translation in installed.translations:
        brought = translation.distribution or "an unknown distribution"
        yield f"{translation.name} {translation.version} for {translation.context}, from {brought}"
        for translator in translation.translators:
            yield from _paragraph(translator)
    for failed in installed.failed:
        yield f"failed   {failed.entry_point}: {failed.reason}"
    for failed in installed.failed_contexts:
        yield f"failed   context {failed.entry_point}: {failed.reason}"
    if not installed.translations and not installed.failed:
        yield "No translation is installed."


def _paragraph(translator: InstalledTranslator) -> Iterator[str]:
    yield f"  {translator.name} {translator.version}: {translator.aggregate}"
    yield f"    reads     {', '.join(translator.reads)}"
    if translator.looks_up:
        yield f"    looks up  {', '.join(translator.looks_up)}"
    if translator.sees_in_commits:
        yield f"    sees      {', '.join(translator.sees_in_commits)}, in commits"
    for fact in translator.facts:
        yield f"    announces {fact.event} ({fact.name}): {', '.join(_traits(fact))}"


def _traits(fact: InstalledFact) -> Iterator[str]:
    if fact.kind != "fact":
        yield fact.kind
    yield "lasting" if fact.lasting else "transient"
    if fact.per_row:
        yield "row by row in Python"
