"""The run that a re-drive of exceptions makes: over a complete run, by other translators."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cutline.control import Control, RunKey, RunRecord, newest_complete
from cutline.errors import ConfigurationError, RunFailed
from cutline.identity.canonical import canonical_json
from cutline.project.context import TranslationChoice
from cutline.project.loaded import LoadedProject
from cutline.results import ExtractResult, TranslateResult
from cutline.run.base import other_inputs
from cutline.run.meaning import gone_back
from cutline.run.naming import run_key
from cutline.translator.translation import Translation
from cutline.translator.translator import version_numbers

if TYPE_CHECKING:
    from cutline.sources.frozen import FrozenInputs
    from cutline.stages.redrive import ExceptionSelection

_OF_THE_VERSION = ("translation", "translators", "older_shapes")
"""What runs are named by that another version of the translators may change."""
TRUTHS = (".truth", ".baseline")
"""How the names of inputs end that reconciliation asks anew."""


def base_of_redrive(
    control: Control | None, project: LoadedProject, translation: Translation, region: str
) -> RunRecord:
    """The newest complete run of the slice, which a re-drive by this translation goes on from.

    ConfigurationError where there is none, where all of it was made by this very translation, or by
    other settings than those of cutline.yaml now.
    """
    context = translation.context.name
    base = newest_complete(control.runs(context, region)) if control else None
    again = f"cutline run {context} --region {region}"
    if base is None:
        raise ConfigurationError(
            f"No run of {context} {region} is complete, so there are no exceptions to re-drive.",
            left_behind="Nothing was started.",
            next_step=f"{again} makes one.",
        )
    now = run_key(project, translation, region, base.inputs.get("positions", {})).inputs
    translated = base.result_of(TranslateResult)
    mixed = translated is not None and translated.redriven
    if now["translators"] == base.inputs.get("translators") and not mixed:
        versions = ", ".join(f"{n} {v}" for n, v in sorted(now["translators"].items()))
        raise ConfigurationError(
            f"Run {base.run_id} was made by {versions}, which are the translators of now: its "
            "exceptions would come again.",
            left_behind="Nothing was started.",
            next_step="Mend the rules, raise the translator's version, and install it.",
        )
    _refuse_going_back(now["translators"], base)
    then = {**now, "configuration": _as_chosen_then(project, base).digest}
    if differences := other_inputs(base.inputs, then, _OF_THE_VERSION):
        raise ConfigurationError(
            f"Exceptions of run {base.run_id} cannot be re-driven by themselves: "
            f"{'; '.join(differences)}",
            left_behind="Nothing was started.",
            next_step=f"{again} reads and translates everything.",
        )
    return base


def redrive_key(
    project: LoadedProject,
    translation: Translation,
    region: str,
    base: RunRecord,
    selection: ExceptionSelection,
) -> RunKey:
    """The run that the re-drive makes: it is named by its base and by what is selected as well."""
    positions = base.inputs.get("positions", {})
    chosen = {"from": base.run_id, **_selected(selection)}
    return run_key(project, translation, region, positions, redrive=chosen)


@contextlib.contextmanager
def inputs_of_base(
    project: LoadedProject, translation: Translation, region: str, base: RunRecord
) -> Iterator[FrozenInputs]:
    """What the base read of each input: a re-drive reads nothing of it again.

    ConfigurationError for an input of reconciliation that holds something else by now.
    """
    from cutline.sources import digest_sources
    from cutline.sources.frozen import FrozenInputs

    positions = base.inputs.get("positions", {})
    truths = digest_sources(project, translation, region, partial(_tells_truth, project))
    moved = [name for name, digest in sorted(truths.items()) if positions.get(name) != digest]
    if moved:
        raise ConfigurationError(
            f"{', '.join(moved)}: what the legacy says is of another moment than run {base.run_id}",
            left_behind="Nothing was started.",
            next_step="Let the slice go on to it by the translators of that run, then re-drive: "
            f"cutline advance {base.context} --region {region}",
        )
    extract = base.result_of(ExtractResult)
    assert extract is not None
    yield FrozenInputs(positions, files=extract.files)


def _tells_truth(project: LoadedProject, name: str) -> bool:
    """Whether reconciliation asks an input: a source without a truth of its own is its truth."""
    source = project.file.sources.get(name)
    return name.endswith(TRUTHS) or (source is not None and source.truth is None)


def _refuse_going_back(now: Mapping[str, str], base: RunRecord) -> None:
    """ConfigurationError for a version below that of the base: its events are on topics already,
    under their ids, and would not be sent again."""
    for name, version in sorted(now.items()):
        earlier = str(base.inputs.get("translators", {}).get(name, version))
        if version_numbers(version) < version_numbers(earlier):
            raise gone_back(name, version, base.run_id, earlier)


def is_redrive(record: RunRecord) -> bool:
    """Whether a run re-drove exceptions of another."""
    return "redrive" in record.inputs


def refuse_overtaken(control: Control, key: RunKey, base: RunRecord) -> None:
    """RunFailed where another run of the slice was completed since the base was chosen: what it
    brought would be taken back."""
    newest = newest_complete(control.runs(key.context, key.region))
    if newest is None or newest.run_id not in (base.run_id, key.run_id):
        raise RunFailed(
            f"run {newest.run_id if newest else base.run_id} of {key.context} {key.region} was "
            f"completed while the re-drive over {base.run_id} was prepared",
            left_behind="Nothing was started.",
            next_step="Run the same command again: it goes on from the newest run.",
        )


def _selected(selection: ExceptionSelection) -> dict[str, Any]:
    """What is selected, with a digest in place of a long list of ids."""
    chosen = {
        "rules": list(selection.rules),
        "ids": _digest(selection.ids),
        "discarded": _digest(selection.discarded),
    }
    return {name: value for name, value in chosen.items() if value}


def _digest(ids: Sequence[str]) -> str:
    text = canonical_json(sorted(ids)) if ids else ""
    return hashlib.sha256(text.encode()).hexdigest()[:12] if ids else ""


def _as_chosen_then(project: LoadedProject, base: RunRecord) -> LoadedProject:
    """The project with the choice of translation of an earlier run."""
    name, version = str(base.inputs["translation"]).rsplit(" ", 1)
    section = project.file.contexts[base.context]
    choice = TranslationChoice(use=name, major=version_numbers(version)[0])
    contexts = {
        **project.file.contexts,
        base.context: section.model_copy(update={"translation": choice}),
    }
    return dataclasses.replace(project, file=project.file.model_copy(update={"contexts": contexts}))
