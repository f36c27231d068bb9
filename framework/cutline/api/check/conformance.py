"""The check of conformance: the suite on each translation that a project uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cutline import plugins
from cutline.api.check.report import CheckLog
from cutline.conformance import Conformance, check_translation
from cutline.errors import ConfigurationError
from cutline.project import load, load_shared
from cutline.translator.translation import Translation


def check_conformance(folder: Path, log: CheckLog) -> None:
    """Add the size of each translator's trial, and each broken property as a problem."""
    for translation in _used(folder):
        _tell(check_translation(translation), log)


def _tell(conformance: Conformance, log: CheckLog) -> None:
    label = f"{conformance.translation} {conformance.version}"
    failed = {result.translator for result in conformance.failures()}
    tried = {trial.translator: trial.line() for trial in conformance.trials}
    for translator, line in tried.items():
        if translator not in failed:
            log.add_good(f"conformance of {label}: {line}")
    for result in conformance.failures():
        lines = [f"{label}: {result.lines()[0]}", *result.lines()[1:]]
        if result.translator in tried:
            lines.append(f"  tried: {tried[result.translator]}")
        log.add_problems("\n".join(lines))


def _used(folder: Path) -> Iterator[Translation]:
    """The translations of all regions, each once; those that cannot be loaded are left out."""
    used: set[tuple[str, int]] = set()
    for region in load_shared(folder).file.regions:
        try:
            sections = load(folder, region).file.contexts
            chosen = [(n, s.translation.use, s.translation.major) for n, s in sections.items()]
            translations = [plugins.choose_translation(u, m, n) for n, u, m in chosen]
        except ConfigurationError:
            continue  # `check_project` has told it.
        for translation in translations:
            if (translation.name, translation.major) not in used:
                used.add((translation.name, translation.major))
                yield translation
