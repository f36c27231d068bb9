"""What `cutline check` looks at: the project in every region, the plugins, the sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cutline import plugins
from cutline.errors import ConfigurationError, did_you_mean
from cutline.project import Project, load
from cutline.translator.translation import Translation


@dataclass
class Found:
    """What was found: what is in order, what stops a run, and what is broken but not used."""

    project: str
    good: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return {
            "project": self.project,
            "ok": not self.problems,
            "good": self.good,
            "problems": self.problems,
            "unused": self.unused,
        }

    def lines(self) -> Iterator[str]:
        """One line per thing found, and the sum."""
        yield from (f"ok       {text}" for text in self.good)
        yield from (f"unused   {text}" for text in self.unused)
        yield from (f"problem  {text}" for text in self.problems)
        n = len(self.problems)
        yield f"{n} {'problem' if n == 1 else 'problems'}" if n else "Everything is in order."

    def problem(self, text: str) -> None:
        """Adds what stops a run, once."""
        if text not in self.problems:
            self.problems.append(text)


def checked(folder: Path) -> Found:
    """Everything that can be found without running; a cutline.yaml that cannot be read raises."""
    project = load(folder)
    found = Found(str(project.config))
    found.good.append(f"{project.config.name}: its defaults")
    translations = _translations(project, found)
    for region in project.file.regions:
        try:
            sliced = load(folder, region)
        except ConfigurationError as error:
            for line in error.what.splitlines():
                found.problem(line)
            continue
        before = len(found.problems)
        # Another region's overlay may choose another translation.
        chosen = (
            translations
            if sliced.file.contexts == project.file.contexts
            else (_translations(sliced, found))
        )
        for translation in chosen:
            _sources(sliced, translation, found)
        if len(found.problems) == before:
            found.good.append(f"region {region}: sources and their columns")
    return found


def _translations(project: Project, found: Found) -> list[Translation]:
    chosen = []
    for name, section in project.file.contexts.items():
        use, major = section.translation.use, section.translation.major
        try:
            context = plugins.choose_context(name)
            translation = plugins.choose_translation(use, major, name)
        except ConfigurationError as error:
            found.problem(error.what)
            continue
        chosen.append(translation)
        found.good.append(f"context {name}: translation {use} {translation.version}")
        aggregates = [a.name for a in context.aggregates]
        outcomes = [o.name for o in context.outcomes]
        key = f"cutline.yaml: contexts.{name}"
        for aggregate in section.live.aggregates:
            _known(f"{key}.live.aggregates", aggregate, aggregates, found)
        for outcome in section.gates.outcomes:
            _known(f"{key}.gates.outcomes", outcome, outcomes, found)
    for group in (plugins.contexts(), plugins.translations()):
        for entry, why in group.failed.items():
            text = f"plugin {entry}: {why}"
            if text not in found.unused:
                found.unused.append(text)
    return chosen


def _known(key: str, name: str, known: list[str], found: Found) -> None:
    if name not in known:
        found.problem(
            f"{key}: {name!r} is none of {', '.join(known) or 'none'}.{did_you_mean(name, known)}"
        )


def _sources(project: Project, translation: Translation, found: Found) -> None:
    declared = True
    for contract in translation.contracts():
        source, table = contract.source(), contract.table()
        section = project.file.sources.get(source)
        if section is None:
            found.problem(
                f"cutline.yaml: sources.{source}: is missing; translation {translation.name} "
                f"reads {source}.{table}.{did_you_mean(source, project.file.sources)}"
            )
        elif table not in section.tables:
            found.problem(
                f"cutline.yaml: sources.{source}.tables.{table}: is missing; translation "
                f"{translation.name} reads it.{did_you_mean(table, section.tables)}"
            )
        declared &= section is not None and table in section.tables
    if declared:
        from cutline.sources import check

        for problem in check(project, translation):
            found.problem(problem)
