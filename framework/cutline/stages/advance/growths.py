"""What is new in each input of a slice since the run that an advance goes on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource
from cutline.results import ExtractResult, FileRead
from cutline.sources.content_digests import LIVE, digests_of, paths_of_inputs
from cutline.sources.growth import CHANGES, Growth, changed_error, growth_of
from cutline.sources.needs_whole import NeedsWholeRun
from cutline.sources.used_tables import used_sources
from cutline.translator.translation import Translation


@dataclass(frozen=True)
class Growths:
    """By source, and by the aggregate of each live topic, what is new."""

    sources: Mapping[str, Growth]
    live: Mapping[str, Growth]


def growths_since(
    extract: ExtractResult,
    now: Mapping[str, Sequence[FileRead]],
    project: LoadedProject,
    translation: Translation,
    region: str,
) -> Growths:
    """What is new in the inputs since an extract, as far as `now` has them; free of Spark.

    ConfigurationError where a file was rewritten, or a source without changes has another file.
    NeedsWholeRun where that cannot be told.
    """
    paths = paths_of_inputs(project, translation, region)

    def growth(name: str, label: str, grows: str) -> Growth:
        if name not in extract.files:
            raise NeedsWholeRun(f"the run before did not keep how far it read {label}")
        return growth_of(label, paths[name], extract.files[name], now[name], grows)

    sources = {}
    for source in used_sources(project, translation, region):
        name, label = source.name, f"sources.{source.name}"
        if isinstance(source.section, DatabaseSource):
            raise NeedsWholeRun(f"{label} is read where it is, under a snapshot of each run")
        if source.section.changes is not None and source.section.changes.topic_names:
            raise NeedsWholeRun(f"the changes of {label} are on topics of Kafka")
        if source.section.changes is None:
            if digests_of({name: now[name]})[name] != extract.extracts[name].position:
                raise changed_error(label, "what it holds", "is not what it was, without changes")
            sources[name] = Growth((), ())
        else:
            sources[name] = growth(name, label, CHANGES)
    topics = [name for name in paths if name.startswith(LIVE)]
    return Growths(
        sources, {name.removeprefix(LIVE): growth(name, f"the topic {name}", "") for name in topics}
    )
