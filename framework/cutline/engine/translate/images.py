"""The images of a translator's subjects, from the changes of its tables."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from cutline.context.aggregate import SPLITS
from cutline.engine.compose import (
    compose_images,
    composed_images,
    images_of_snapshot,
    is_composed,
    join_lookup,
    looked_up_columns,
    passenger_parts,
    snapshot_images,
)
from cutline.engine.frames import Frame, frame_of, step
from cutline.engine.restore import (
    ARRIVED_AT_SUBJECT,
    EXISTED_BEFORE,
    LEFT_SUBJECT,
    REREAD,
    RESTORE_END,
    ROW_CHECKS,
    ROW_END,
    ROW_GROUP,
    SIDE,
    SNAPSHOT_SIDE,
    SUBJECT,
    KeyRenames,
    RestoreOptions,
    classify_changes,
    is_live,
    key_names_subject,
    trace_key_changes,
    with_sides,
)
from cutline.engine.translate.inputs import Changes, Inputs, has_changes
from cutline.tables.change import changes as changes_table
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part
from cutline.translator.translator import Translator


def images_frame(translator: type[Translator], inputs: Inputs) -> Frame:
    """The columns of the images of a translator, with what they look up."""
    if is_composed(translator) or has_changes(translator, inputs):
        frame = composed_images(translator)
    else:
        name, part = next(iter(translator.parts.items()))
        frame = images_of_snapshot(name, part.contract.ddl())
    lookups = translator.lookups.items()
    return frame.with_columns(*(c for n, k in lookups for c in looked_up_columns(n, k)))


@step(returns=images_frame)
def images_of(translator: type[Translator], inputs: Inputs) -> DataFrame:
    """One row per change of the translator's parts, with the images that its rules read."""
    primary = next(iter(translator.parts))
    frame = _images(translator, inputs)
    for name, lookup in translator.lookups.items():
        changes = inputs[lookup.contract]
        frame = join_lookup(
            frame,
            name,
            lookup,
            classified_reference(lookup.contract, changes),
            primary,
            changing=changes.changing,
            all_sound=changes.all_sound,
        )
    return frame


def _images(translator: type[Translator], inputs: Inputs) -> DataFrame:
    looked = _classified(translator, inputs)
    if not is_composed(translator) and not has_changes(translator, inputs):
        name, only = next(iter(looked.items()))
        return snapshot_images(name, only)
    tables = {**translator.parts, **passenger_parts(translator)}
    lanes = [name for name, part in tables.items() if inputs[part.contract].features.by_partition]
    return compose_images(translator, looked, lanes)


def _classified(translator: type[Translator], inputs: Inputs) -> dict[str, DataFrame]:
    """The classified changes of each part, and of each passenger with a log."""
    beside = {n: p for n, p in passenger_parts(translator).items() if inputs[p.contract].changing}
    tables = {**translator.parts, **beside}
    changes_of = {name: inputs[part.contract] for name, part in tables.items()}
    placed = {
        name: with_sides(one.frame, one.lines, one.features) for name, one in changes_of.items()
    }
    renames = _key_renames(translator, inputs, placed)
    return {
        name: classify_changes(
            placed[name],
            part,
            RestoreOptions(one.lines, one.features, renames),
            counted=name not in beside,
        )
        for (name, part), one in zip(tables.items(), changes_of.values(), strict=True)
    }


def _key_renames(
    translator: type[Translator], inputs: Inputs, placed: Mapping[str, DataFrame]
) -> KeyRenames | None:
    """The key changes by which the translator's subjects go on; None if there are none."""
    aggregates = translator.context.aggregates
    if any(a.name == translator.aggregate and a.renamed == SPLITS for a in aggregates):
        return None
    for name, part in translator.parts.items():
        if key_names_subject(part) and inputs[part.contract].features.renames:
            rows = placed[name].where(is_live())
            return KeyRenames(trace_key_changes(rows, part, splits=False))
    return None


def _reference_frame(contract: type[SourceContract], changes: Changes) -> Frame:
    table = frame_of(changes_table(contract.source(), contract.table(), contract.ddl()))
    logged = (SNAPSHOT_SIDE, RESTORE_END) if changes.changing else ()
    return table.with_columns(
        *(SIDE, *logged, SUBJECT, ROW_GROUP, LEFT_SUBJECT, ARRIVED_AT_SUBJECT, REREAD),
        *(ROW_END, ROW_CHECKS, EXISTED_BEFORE),
    )


@step(returns=_reference_frame)
def classified_reference(contract: type[SourceContract], changes: Changes) -> DataFrame:
    """The classified changes of a table that is looked up; each row is a subject by itself."""
    rows = with_sides(changes.frame, changes.lines, changes.features)
    options = RestoreOptions(changes.lines, changes.features)
    return classify_changes(rows, Part(contract, contract.key()), options)
