"""Moves: from its last sound image to this one, and what becomes of a row that may not move so.

A move that a rule puts aside makes its image one that is not sound, so the next image is again
compared with the one before it. That makes the last sound image depend on what became of every
image before, which no window can tell. So it is first taken for granted that no move was put aside,
which nearly always holds; the subjects of which it does not hold are gone through in order, image
by image. Only theirs are brought together, each once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from cutline.engine.compose import GROUP, STANDS_FOR, existed, in_order, is_complete
from cutline.engine.decide.image_end import DISPOSITION_OF_KIND
from cutline.engine.decide.lifecycles import may_end_moves, move_questions
from cutline.engine.end import Question, first_end, question
from cutline.engine.facts import Fact, MoveFact
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
    """Whether a rule or a lifecycle of it asks where a row came from, to do something about it."""
    facts = any(fact.on_move for fact in translator.facts)
    rules = any(rule.on_move for rule in translator.row_rules)
    return facts or rules or may_end_moves(translator)


def without_last_sound(translator: type[Translator], images: DataFrame) -> DataFrame:
    """The images with the last sound one as `was_<table>`, where nothing was before any of them."""
    nothing = {
        f"{WAS}_{name}": F.lit(None).cast(images.schema[f"{AFTER}_{name}"].dataType)
        for name in _tables(translator)
    }
    return images.withColumns(nothing)


def with_last_sound(
    translator: type[Translator], facts: Sequence[Fact], images: DataFrame, trusted: Column
) -> DataFrame:
    """The images, ended by themselves, with the last sound one before each as `was_<table>`.

    Null where there was none. `trusted` says where the image before a change counts as that.
    """
    before = F.when(trusted, whole_image(translator, BEFORE))
    sound = F.col("image_end").isNull() & F.col(STANDS_FOR)
    # What lacks a deleted part is no image; of what is gone altogether nothing is left.
    sound &= is_complete(translator, AFTER) | ~existed(translator, AFTER)
    images = images.withColumns(
        {"told_before": before, "may_be_last": F.when(sound, whole_image(translator, AFTER))}
    )
    earlier = in_order().rowsBetween(Window.unboundedPreceding, -1)
    guess = F.coalesce(F.last("may_be_last", ignorenulls=True).over(earlier), F.col("told_before"))
    images = _unpacked(translator, images.withColumn("last_sound", guess))
    put_aside = F.col("may_be_last").isNotNull() & end_of_move(translator, facts).isNotNull()
    images = images.withColumns(
        {
            "in_doubt": F.max(put_aside).over(Window.partitionBy(GROUP)),
            "nth": F.row_number().over(in_order()),
            "is_last": F.lead("op").over(in_order()).isNull(),
        }
    )
    # The last image of a subject sees all of its images, every other none: so each is brought
    # together with its like once, and not once for each image that comes after it.
    place = F.when(F.col("is_last"), F.lit(_MANY)).otherwise(F.col("nth").cast("bigint"))
    images = images.withColumn("place", place)
    ordered = Window.partitionBy(GROUP).orderBy("place")
    all_of_them = ordered.rangeBetween(-_MANY, -_MANY // 2)
    image_of = F.struct(
        "nth", F.col("told_before").alias("told"), F.col("may_be_last").alias("now")
    )
    doubted = F.when(F.col("in_doubt") & F.col("may_be_last").isNotNull(), image_of)
    images = images.withColumn("moves", F.collect_list(doubted).over(all_of_them))
    kind = images.schema["may_be_last"].dataType
    aside = F.when(F.col("is_last"), _put_aside(translator, facts, F.col("moves"), kind))
    images = images.withColumn("aside", F.max(aside).over(Window.partitionBy(GROUP)))
    stays = ~F.array_contains(F.col("aside"), F.col("nth"))
    earlier = ordered.rowsBetween(Window.unboundedPreceding, -1)
    last = F.last(F.when(stays, F.col("may_be_last")), ignorenulls=True).over(earlier)
    images = images.withColumn("last_sound", F.coalesce(last, F.col("told_before")))
    return _unpacked(translator, images).drop(
        "told_before",
        "may_be_last",
        "last_sound",
        "in_doubt",
        "nth",
        "is_last",
        "place",
        "moves",
        "aside",
    )


def end_of_move(translator: type[Translator], facts: Sequence[Fact]) -> Column:
    """The end that an image has for where it came from; null if nothing is wrong with that."""
    move = ImageMove(whole_image(translator, WAS), whole_image(translator, AFTER))
    steps = list(_move_questions(translator, facts, move))
    if not steps:
        return F.lit(None).cast("struct<disposition:string,rule:string,reason:string>")
    # Of what lacks a part that it must have nothing is asked.
    return F.when(is_complete(translator, AFTER), first_end(steps))


def _put_aside(
    translator: type[Translator], facts: Sequence[Fact], moves: Column, kind: DataType
) -> Column:
    """The numbers of the images that are put aside for where they came from, in order."""
    start = F.struct(
        F.lit(None).cast(kind).alias("was"), F.array().cast("array<int>").alias("aside")
    )

    def after_step(so_far: Column, step_to: Column) -> Column:
        was = F.coalesce(so_far.getField("was"), step_to.getField("told"))
        now, aside = step_to.getField("now"), so_far.getField("aside")
        steps = list(_move_questions(translator, facts, ImageMove(was, now)))
        ends = reduce(Column.__or__, (is_true(s.condition) for s in steps), F.lit(False))
        more = F.concat(aside, F.array(step_to.getField("nth")))
        return F.struct(
            F.when(ends, was).otherwise(now).alias("was"),
            F.when(ends, more).otherwise(aside).alias("aside"),
        )

    return F.aggregate(moves, start, after_step, lambda end: end.getField("aside"))


def _move_questions(
    translator: type[Translator], facts: Sequence[Fact], move: ImageMove
) -> Iterator[Question]:
    """The questions about a move, in the order of asking."""
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
    """Whether the subject has a row there; never null."""
    rows = [F.coalesce(images.getField(n).isNotNull(), F.lit(False)) for n in translator.parts]
    return reduce(Column.__or__, rows)


def _unpacked(translator: type[Translator], images: DataFrame) -> DataFrame:
    last = F.col("last_sound")
    return images.withColumns(
        {f"{WAS}_{name}": last.getField(name) for name in _tables(translator)}
    )


def _tables(translator: type[Translator]) -> list[str]:
    return [*translator.parts, *translator.lookups]
