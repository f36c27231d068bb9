"""The run that an advance goes on from, and why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline.control import Control, RunKey, RunRecord, newest_complete
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake, run_folder
from cutline.project.loaded import LoadedProject
from cutline.results import EXTRACT, MERGE, PROJECT, TRANSLATE, ExtractResult, FileRead
from cutline.run.past import lake_of
from cutline.run.progress import Note, OnEvent
from cutline.translator.translation import Translation
from cutline.workspace import BaseRun

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.kafka.base_inputs import BaseInputs


@dataclass(frozen=True)
class Beginning:
    """A run that is about to begin: what it is named by, and what its inputs hold."""

    control: Control
    project: LoadedProject
    translation: Translation
    key: RunKey
    frozen: Mapping[str, tuple[FileRead, ...]]
    on_event: OnEvent


ChooseBase = Callable[[Beginning], RunRecord | None]

_STAGES = (EXTRACT, TRANSLATE, MERGE, PROJECT)
"""The stages whose tables an advance goes on from."""
_OF_COMPARING = ("positions", "waivers", "discarded", "questions", "redrive", "after")
"""What runs are named by that only says what is new or anew, or how it is compared."""
_SENTENCES = {
    "translation": "the translation was {before}, and is {now}",
    "translators": "translators were {before}, and are {now}",
    "configuration": "cutline.yaml says something else than it did",
    "cut": "the cut lines were {before}, and are {now}",
    "older_shapes": "older shapes of rows are lifted in another way",
    "cutline": "results were of version {before}, and are of {now}",
}


def no_base(beginning: Beginning) -> None:
    """A run that reads everything goes on from none."""
    del beginning


def newest_base(beginning: Beginning) -> RunRecord | None:
    """The newest complete run of the slice; null for its first run, and where all must be read.

    A run that was begun keeps the base that it was begun with. ConfigurationError, before anything
    is started, if the base was made by other rules or settings, or of files that were rewritten.
    """
    control, key = beginning.control, beginning.key
    record = control.run(key.run_id)
    extract = None if record is None else record.result_of(ExtractResult)
    if record is not None and (extract is not None or record.status == "complete"):
        begun_from = None if extract is None else extract.advanced_from
        return None if begun_from is None else control.run(begun_from)
    runs = control.runs(key.context, key.region)
    base = newest_complete(run for run in runs if run.run_id != key.run_id)
    if base is None:
        return None
    _refuse_other_rules(base, key)
    if not _is_there(beginning.project, base):
        beginning.on_event(Note(f"everything is read anew: tables of run {base.run_id} are gone"))
        return None
    _refuse_rewritten(beginning, base)
    return base


def inputs_of_base(project: LoadedProject, context: str, region: str) -> BaseInputs | None:
    """What the newest complete run of the slice read; null where there is none to go on from."""
    from cutline.kafka.base_inputs import BaseInputs

    control = Control.peek(project.file.control, project.folder)
    base = None if control is None else newest_complete(control.runs(context, region))
    extract = None if base is None else base.result_of(ExtractResult)
    if base is None or extract is None or not _is_there(project, base):
        return None
    return BaseInputs(base.inputs.get("positions", {}), extract.topics)


def base_of_look(beginning: Beginning) -> RunRecord | None:
    """The newest complete run of the slice; null where not all of what it holds is as a run over
    everything would have it now: then a look reads everything."""
    key = beginning.key
    base = newest_complete(beginning.control.runs(key.context, key.region))
    if base is None or other_inputs(base.inputs, key.inputs):
        return None
    if not _is_there(beginning.project, base):
        return None
    try:
        _refuse_rewritten(beginning, base)
    except ConfigurationError:
        return None
    return base


def opened_base(project: LoadedProject, record: RunRecord, spark: SparkSession) -> BaseRun:
    """The base with its lake; RunFailed if a table is no longer what its stage wrote."""
    lake = lake_of(project, record)
    for name in _tables(record):
        lake.exists(spark, name)
    return BaseRun(record.run_id, lake, record.results())


def _is_there(project: LoadedProject, record: RunRecord) -> bool:
    lake = Lake(run_folder(project.lake, record.context, record.region, record.run_id))
    return all(lake.seems_whole(name) for name in _tables(record))


def _tables(record: RunRecord) -> Iterator[str]:
    results = record.results()
    yield from (table.name for stage in _STAGES for table in results[stage].tables)


def _refuse_rewritten(beginning: Beginning, base: RunRecord) -> None:
    from cutline.sources.needs_whole import NeedsWholeRun
    from cutline.stages.advance.growths import growths_since

    extract, project = base.result_of(ExtractResult), beginning.project
    assert extract is not None
    try:
        growths_since(
            extract,
            beginning.frozen,
            beginning.key.inputs["positions"],
            project,
            beginning.translation,
            beginning.key.region,
        )
    except NeedsWholeRun:
        # The extract says so, and reads everything.
        return


def _refuse_other_rules(base: RunRecord, key: RunKey) -> None:
    """ConfigurationError where the base was made by anything but these rules and settings."""
    if differences := other_inputs(base.inputs, key.inputs):
        raise ConfigurationError(
            f"the slice cannot go on from run {base.run_id}: {'; '.join(differences)}",
            left_behind="Nothing was started.",
            next_step=f"cutline run {key.context} --region {key.region} reads and translates "
            "everything; then cutline advance goes on from there.",
        )


def other_inputs(
    before: Mapping[str, Any], now: Mapping[str, Any], passed_over: Collection[str] = ()
) -> list[str]:
    """A sentence for each thing by which two runs are named, and in which they differ.

    What only says what is new or anew, or how it is compared, is passed over, and with it
    `passed_over`.
    """
    return [
        _sentence(name, before.get(name), now.get(name))
        for name in sorted({*before, *now} - {*_OF_COMPARING, *passed_over})
        if before.get(name) != now.get(name)
    ]


def _sentence(name: str, before: Any, now: Any) -> str:
    return _SENTENCES.get(name, "{name} differ").format(
        name=name, before=_words(before), now=_words(now)
    )


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(part)}" for name, part in sorted(value.items()))
    return "none" if value is None else str(value)
