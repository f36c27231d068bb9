"""Images with their ends, and the events of the facts that rise from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.announce import (
    ANNOUNCED,
    COMMIT_NAMES,
    EVENTS_ANNOUNCED,
    FALLEN_TYPES,
    IMAGE_NAMES,
    NAMES_BEFORE,
    TRANSLATOR,
    VERSION,
    no_types,
    with_fallen_types,
)
from cutline.engine.compose import (
    BY_COMMIT,
    CHANGE_REFERENCE,
    GROUP,
    IMAGES,
    PART,
    SKEW,
    STANDS_FOR,
    SUPERSEDED,
    existed,
    in_order,
    is_complete,
    is_composed,
)
from cutline.engine.decide import (
    DECIDED,
    DECIDED_ALONE,
    IMAGE_END,
    RISEN,
    WAITING,
    WAS_READABLE,
    end_of_row,
    lifecycle_breach,
    may_hold_rows,
    no_breach,
    risen,
    sound_before,
    waiting_columns,
)
from cutline.engine.examine import analyse_translator
from cutline.engine.facts import NAMES_OF_BEFORE, Fact, compile_facts, no_events
from cutline.engine.frames import Frame, step
from cutline.engine.restore import LEFT_SUBJECT, ROW_CHECKS, ROW_END
from cutline.engine.rules import AFTER, BEFORE, image
from cutline.engine.translate.ended import first_known_before, with_image_end
from cutline.tables.change import SNAPSHOT
from cutline.tables.disposition import EXCEPTIONAL, TRANSLATED
from cutline.translator.translator import Translator


def _decided_frame(translator: type[Translator], changing: bool) -> Frame:
    if changing and may_hold_rows(translator):
        return WAITING
    return DECIDED if changing or is_composed(translator) else DECIDED_ALONE


@step(needs=IMAGES, returns=_decided_frame)
def with_decisions(
    translator: type[Translator], frame: DataFrame, changing: bool, rereading: list[str]
) -> DataFrame:
    """One row per image with its end and, where it stands for itself, its events."""
    analysis = analyse_translator(frame.sparkSession, translator)
    facts = compile_facts(translator, analysis)
    frame = with_image_end(translator, frame, analysis, facts, changing, rereading)
    if changing:
        frame = _risen_since(translator, frame, facts, rereading)
    # Dispositions need to know only what rises, without the columns of its events.
    frame = frame.withColumn("end", F.coalesce(IMAGE_END, end_of_row(translator, facts)))
    breached = lifecycle_breach(translator) if changing else no_breach()
    disposition = F.col("end.disposition")
    events = [fact.events(risen(i), changing) for i, fact in enumerate(facts)]
    counts = [fact.count(risen(i)) for i, fact in enumerate(facts)]
    announces = (disposition == TRANSLATED) & F.col(STANDS_FOR)
    own_columns = [
        F.when(F.col(PART) == name, F.to_json(F.coalesce(image(AFTER, name), image(BEFORE, name))))
        for name in translator.parts
    ]
    composed = changing or is_composed(translator)
    # A row that shares an end does not know yet whether a person must see it.
    shown = disposition.isin(*EXCEPTIONAL) | ~F.col(STANDS_FOR)
    return frame.select(
        *CHANGE_REFERENCE,
        F.when(shown, F.coalesce("payload", *own_columns)).alias("payload"),
        "subject",
        F.lit(translator.aggregate).alias("aggregate"),
        "end.*",
        F.col(ROW_CHECKS).alias("checks"),
        F.when(announces, F.concat(*events) if events else no_events())
        .otherwise(no_events())
        .alias(EVENTS_ANNOUNCED),
        F.when(announces, reduce(Column.__add__, counts, F.lit(0)))
        .otherwise(F.lit(0))
        .alias(ANNOUNCED),
        F.lit(translator.name()).alias(TRANSLATOR),
        F.lit(translator.version).alias(VERSION),
        F.col(ROW_END).isNull().alias(WAS_READABLE),
        STANDS_FOR,
        GROUP,
        SKEW,
        LEFT_SUBJECT,
        SUPERSEDED,
        *(BY_COMMIT if composed else ()),
        *(waiting_columns(translator) if changing and may_hold_rows(translator) else ()),
        FALLEN_TYPES if changing else no_types().alias(FALLEN_TYPES),
        breached.getField("rule").alias("finding"),
        breached.getField("reason").alias("finding_reason"),
    )


def _risen_since(
    translator: type[Translator], frame: DataFrame, facts: Sequence[Fact], rereading: list[str]
) -> DataFrame:
    """The ended images with `risen_i`, `Fact.risen` of each fact; null if not sound."""
    frame = _with_names_before(translator, frame, facts, rereading)
    sound, before = F.col(IMAGE_END).isNull(), F.col(NAMES_BEFORE)
    return frame.withColumns(
        {RISEN.of(str(i)): F.when(sound, fact.risen(before)) for i, fact in enumerate(facts)}
    )


def _with_names_before(
    translator: type[Translator], frame: DataFrame, facts: Sequence[Fact], rereading: list[str]
) -> DataFrame:
    """The images with NAMES_BEFORE, NAMES_OF_BEFORE and FALLEN_TYPES.

    For the first change of a row that no snapshot shows, the names of its own row before are
    NAMES_BEFORE, if that is sound. An image without a deleted part has no names of its own: the
    names before it go on. Nor are names left by the end of a subject of which no image was sound:
    nothing was announced of it.
    """
    nothing = F.array().cast("array<string>")
    sound = F.col(IMAGE_END).isNull() & (
        is_complete(translator, AFTER) | ~existed(translator, AFTER)
    )
    frame = frame.withColumn(
        IMAGE_NAMES,
        F.when(sound, F.concat(*(fact.says(AFTER) for fact in facts)) if facts else nothing),
    ).withColumn(COMMIT_NAMES, F.when(F.col(STANDS_FOR), F.col(IMAGE_NAMES)))
    earlier = in_order().rowsBetween(Window.unboundedPreceding, -1)
    before_names = F.concat(*(fact.says(BEFORE) for fact in facts)) if facts else nothing
    sound_change = F.col(IMAGE_END).isNull() & (F.col("op") != SNAPSHOT)
    trusted = F.col("is_first_known")
    is_there = existed(translator, AFTER)
    let_through = F.max(is_there & F.col(COMMIT_NAMES).isNotNull()).over(earlier)
    frame = frame.withColumns(
        {
            "was_let_through": F.coalesce(let_through, F.lit(False)),
            "is_first_known": first_known_before(translator, rereading),
            "was_sound": sound_before(translator),
            NAMES_OF_BEFORE: F.when(sound_change, before_names),
        }
    )
    ends_what_was = F.col("was_let_through") | (trusted & F.col("was_sound"))
    left_names = F.when(is_there | ends_what_was, F.col(COMMIT_NAMES))
    frame = frame.withColumn("last_names", F.last(left_names, ignorenulls=True).over(earlier))
    frame = frame.withColumn(
        NAMES_BEFORE,
        F.when(trusted, F.when(F.col("was_sound"), F.col(NAMES_OF_BEFORE))).otherwise(
            F.col("last_names")
        ),
    )
    return with_fallen_types(frame, facts)
