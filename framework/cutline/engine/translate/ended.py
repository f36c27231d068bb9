"""Images with the ends that they have by themselves, or by their moves."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose import BROKEN_BEFORE, IMAGES, PHASE, existed, in_order
from cutline.engine.decide import (
    FAULT,
    IMAGE_END,
    RISEN,
    doubtful_move,
    end_of_image,
    end_of_move,
    has_move_rules,
    lacks_inferred,
    last_sound_columns,
    sound_before,
    with_last_sound,
    without_last_sound,
)
from cutline.engine.examine import TranslatorAnalysis, analyse_translator
from cutline.engine.facts import GUESSED, Fact, PythonFact
from cutline.engine.frames import Frame, FrameColumn, step
from cutline.engine.rules import BEFORE
from cutline.engine.translate.images import images_frame, images_of
from cutline.engine.translate.inputs import Inputs, has_changes, rereading_sources
from cutline.tables.change import SNAPSHOT
from cutline.translator.translator import Translator


def _ended_columns(
    translator: type[Translator], facts: Sequence[Fact], changing: bool
) -> tuple[FrameColumn, ...]:
    python = [fact for fact in facts if isinstance(fact, PythonFact)]
    return (
        *(GUESSED, FAULT, IMAGE_END),
        *(last_sound_columns(translator) if has_move_rules(translator) else ()),
        *(column for fact in python for column in fact.result_columns(changing)),
        *(() if changing else (RISEN.of(str(i), f.risen_type) for i, f in enumerate(facts))),
    )


def _ended_frame(translator: type[Translator], inputs: Inputs, facts: Sequence[Fact]) -> Frame:
    changing = has_changes(translator, inputs)
    return images_frame(translator, inputs).with_columns(
        *_ended_columns(translator, facts, changing)
    )


@step(returns=_ended_frame)
def ended_images(translator: type[Translator], inputs: Inputs, facts: Sequence[Fact]) -> DataFrame:
    """As `images_of`, with IMAGE_END, and the columns that the facts read."""
    frame = images_of(translator, inputs)
    analysis = analyse_translator(frame.sparkSession, translator)
    rereading = rereading_sources(translator, inputs)
    return with_image_end(
        translator, frame, analysis, facts, has_changes(translator, inputs), rereading
    )


@step(needs=IMAGES, adds=_ended_columns)
def with_image_end(
    translator: type[Translator],
    frame: DataFrame,
    analysis: TranslatorAnalysis,
    facts: Sequence[Fact],
    changing: bool,
    rereading: list[str],
) -> DataFrame:
    """Each image with IMAGE_END; for a translator with rules on moves, by its move as well.

    Without changes, with `risen_i` for each fact too: there it depends on the image alone, and
    Spark computes it in the same projection.
    """
    guessed = lacks_inferred(translator)
    if changing:
        guessed = guessed | doubtful_move(translator)
    moving = has_move_rules(translator)
    if moving and not changing:
        frame = without_last_sound(translator, frame)
    frame = frame.withColumn(GUESSED, guessed)
    for fact in facts:
        if isinstance(fact, PythonFact):
            frame = fact.with_results(frame, changing)
    none = F.lit(None).cast("string")
    alone = [fact for fact in facts if not fact.rule.on_move]
    columns: dict[str, Column] = {FAULT: F.coalesce(*(fact.fault() for fact in alone), none)}
    if not changing:
        columns |= {RISEN.of(str(i)): fact.risen(None) for i, fact in enumerate(facts)}
    frame = frame.withColumns(columns)
    frame = frame.withColumn(IMAGE_END, end_of_image(translator, analysis, facts, changing))
    if not moving:
        return frame
    if changing:
        trusted = first_known_before(translator, rereading) & sound_before(translator)
        frame = with_last_sound(translator, facts, frame, trusted)
    return frame.withColumn(IMAGE_END, F.coalesce(IMAGE_END, end_of_move(translator, facts)))


def first_known_before(translator: type[Translator], rereading: list[str]) -> Column:
    """Whether the row before a change is the first that is known of the subject; never null.

    It is for the subject's first change, if no snapshot shows the subject, unless rows of it were
    quarantined, or its source (`rereading`) logs changes of rows before they are first read.
    """
    first = F.lag(PHASE).over(in_order()).isNull() & (F.col("op") != SNAPSHOT)
    first &= ~F.col(BROKEN_BEFORE)
    return first & existed(translator, BEFORE) & ~F.col("source").isin(rereading)
