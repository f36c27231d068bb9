"""Moves: from a subject's last sound image to this one, and the end of a move that is not allowed.

An image whose move is quarantined is not sound, so the next one is compared with the image before
it. The last sound image thus depends on the ends of all images before, which no window computes.
So the first guess is that no move is quarantined, which is nearly always true. Subjects for which
it is false have their images collected, once per subject, and gone through in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from cutline.engine.compose import GROUP, IMAGES, STANDS_FOR, existed, in_order, is_complete
from cutline.engine.decide.frames import ENDED_IMAGES, LAST_SOUND, last_sound_columns
from cutline.engine.decide.image_end import DISPOSITION_OF_KIND
from cutline.engine.decide.lifecycles import may_end_moves, move_questions
from cutline.engine.end import END_TYPE, Question, first_end, question
from cutline.engine.facts import Fact, MoveFact
from cutline.engine.frames import step
from cutline.engine.rules import (
    AFTER,
    BEFORE,
    WAS,
    ImageMove,
    evaluate_row_rule,
    is_true,
    whole_image,
)
from cutline.tables.disposition import QUARANTINED
from cutline.translator.rules import AMBIGUOUS, REJECT
from cutline.translator.translator import Translator

_MANY = 1 << 40
"""More images than a subject has."""


def has_move_rules(translator: type[Translator]) -> bool:
    """Whether a rule is on moves, or a lifecycle ends moves that it does not allow."""
    facts = any(fact.on_move for fact in translator.facts)
    rules = any(rule.on_move for rule in translator.row_rules)
    return facts or rules or may_end_moves(translator)


@step(needs=IMAGES, adds=last_sound_columns)
def without_last_sound(translator: type[Translator], images: DataFrame) -> DataFrame:
    """The images with LAST_SOUND columns, all null: for snapshots, which show no moves."""
    nothing: dict[str, Column] = {
        LAST_SOUND.of(name): F.lit(None).cast(images.schema[f"{AFTER}_{name}"].dataType)
        for name in _tables(translator)
    }
    return images.withColumns(nothing)


@step(needs=ENDED_IMAGES, adds=last_sound_columns)
def with_last_sound(
    translator: type[Translator], facts: Sequence[Fact], images: DataFrame, trusted: Column
) -> DataFrame:
    """The images with LAST_SOUND columns.

    `trusted` says where the image before a change counts as a sound one, though no row showed it.
    """
    before = F.when(trusted, whole_image(translator, BEFORE))
    sound = F.col("image_end").isNull() & F.col(STANDS_FOR)
    # An image without a deleted part is not complete; a deleted subject leaves an image of nulls.
    sound &= is_complete(translator, AFTER) | ~existed(translator, AFTER)
    images = images.withColumns(
        {"image_before": before, "may_be_last": F.when(sound, whole_image(translator, AFTER))}
    )
    earlier = in_order().rowsBetween(Window.unboundedPreceding, -1)
    guess = F.coalesce(F.last("may_be_last", ignorenulls=True).over(earlier), F.col("image_before"))
    images = _unpacked(translator, images.withColumn("last_sound", guess))
    ends = F.col("may_be_last").isNotNull() & end_of_move(translator, facts).isNotNull()
    images = images.withColumns(
        {
            "in_doubt": F.max(ends).over(Window.partitionBy(GROUP)),
            "nth": F.row_number().over(in_order()),
            "is_last": F.lead("op").over(in_order()).isNull(),
        }
    )
    # Only the last image of a subject collects all of them, the others none: so each image is
    # collected once, and not once for each image that follows.
    place = F.when(F.col("is_last"), F.lit(_MANY)).otherwise(F.col("nth").cast("bigint"))
    images = images.withColumn("place", place)
    ordered = Window.partitionBy(GROUP).orderBy("place")
    all_of_them = ordered.rangeBetween(-_MANY, -_MANY // 2)
    image_of = F.struct(
        "nth", F.col("image_before").alias("before"), F.col("may_be_last").alias("now")
    )
    doubted = F.when(F.col("in_doubt") & F.col("may_be_last").isNotNull(), image_of)
    images = images.withColumn("moves", F.collect_list(doubted).over(all_of_them))
    kind = images.schema["may_be_last"].dataType
    ended_nths = F.when(F.col("is_last"), _ended_by_move(translator, facts, F.col("moves"), kind))
    images = images.withColumn("ended_nths", F.max(ended_nths).over(Window.partitionBy(GROUP)))
    is_sound = ~F.array_contains(F.col("ended_nths"), F.col("nth"))
    earlier = ordered.rowsBetween(Window.unboundedPreceding, -1)
    last = F.last(F.when(is_sound, F.col("may_be_last")), ignorenulls=True).over(earlier)
    images = images.withColumn("last_sound", F.coalesce(last, F.col("image_before")))
    return _unpacked(translator, images).drop(
        "image_before",
        "may_be_last",
        "last_sound",
        "in_doubt",
        "nth",
        "is_last",
        "place",
        "moves",
        "ended_nths",
    )


def end_of_move(translator: type[Translator], facts: Sequence[Fact]) -> Column:
    """The end of an image because of its move; null if the move is allowed."""
    move = ImageMove(whole_image(translator, WAS), whole_image(translator, AFTER))
    questions = list(_move_questions(translator, facts, move))
    if not questions:
        return F.lit(None).cast(END_TYPE)
    # Only complete images have moves.
    return F.when(is_complete(translator, AFTER), first_end(questions))


def _ended_by_move(
    translator: type[Translator], facts: Sequence[Fact], moves: Column, kind: DataType
) -> Column:
    """The `nth` of the images that end because of their move, in order."""
    start = F.struct(
        F.lit(None).cast(kind).alias("was"), F.array().cast("array<int>").alias("ended")
    )

    def after_move(state: Column, image_of: Column) -> Column:
        was = F.coalesce(state.getField("was"), image_of.getField("before"))
        now, ended = image_of.getField("now"), state.getField("ended")
        questions = list(_move_questions(translator, facts, ImageMove(was, now)))
        ends = reduce(Column.__or__, (is_true(q.condition) for q in questions), F.lit(False))
        more = F.concat(ended, F.array(image_of.getField("nth")))
        return F.struct(
            F.when(ends, was).otherwise(now).alias("was"),
            F.when(ends, more).otherwise(ended).alias("ended"),
        )

    return F.aggregate(moves, start, after_move, lambda end: end.getField("ended"))


def _move_questions(
    translator: type[Translator], facts: Sequence[Fact], move: ImageMove
) -> Iterator[Question]:
    """The questions about a move, in their order."""
    has_row, had_row = _has_row(translator, move.now), _has_row(translator, move.was)
    for kind in (REJECT, AMBIGUOUS):
        for rule in translator.row_rules:
            if rule.on_move and rule.kind == kind:
                condition = has_row & is_true(evaluate_row_rule(translator, rule, AFTER, move))
                condition &= F.lit(True) if rule.opening else had_row
                yield question(condition, DISPOSITION_OF_KIND[kind], rule.name, rule.reason)
    yield from move_questions(translator, move)
    for fact in facts:
        if isinstance(fact, MoveFact):
            fault = fact.fault_of(move)
            from_somewhere = has_row if fact.rule.opening else has_row & had_row
            yield Question(
                from_somewhere & fault.isNotNull(),
                QUARANTINED,
                fault,
                F.lit("the row has no valid value for a field of the event that it announces"),
            )


def _has_row(translator: type[Translator], images: Column) -> Column:
    """Whether the subject has a row of any part in these images; never null."""
    rows = [F.coalesce(images.getField(n).isNotNull(), F.lit(False)) for n in translator.parts]
    return reduce(Column.__or__, rows)


def _unpacked(translator: type[Translator], images: DataFrame) -> DataFrame:
    last = F.col("last_sound")
    return images.withColumns(
        {LAST_SOUND.of(name): last.getField(name) for name in _tables(translator)}
    )


def _tables(translator: type[Translator]) -> list[str]:
    return [*translator.parts, *translator.lookups]
