"""Lifecycles, held against the changes: a transition that the contract does not allow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.compose import MOVED_FROM, MOVED_TO, PART
from cutline.engine.end import Question, shown_in_reason
from cutline.engine.rules import AFTER, BEFORE, ImageMove, image
from cutline.tables.change import CREATE, UPDATE
from cutline.tables.disposition import QUARANTINED
from cutline.translator.contract import SourceContract
from cutline.translator.lifecycle import Lifecycle
from cutline.translator.part import HOLD, INFER, REJECT
from cutline.translator.translator import Translator

ENDING = (REJECT, HOLD)
"""The values of `otherwise` with which a move that is not allowed is quarantined."""

_SIDES = (BEFORE, AFTER)
_NOT_ALLOWED = ", which its lifecycle does not allow"


def lifecycle_rules(translator: type[Translator]) -> tuple[str, ...]:
    """The rules of the findings that the translator's lifecycles may give."""
    return tuple(
        lifecycle_rule(part.contract, lifecycle)
        for part in translator.parts.values()
        if (lifecycle := part.contract.lifecycle()) is not None
    )


def no_breach() -> Column:
    """A null of the type of `lifecycle_breach`."""
    return F.lit(None).cast("struct<rule:string,reason:string>")


def lifecycle_breach(translator: type[Translator]) -> Column:
    """A struct of `rule` and `reason`; null where the change is allowed by its lifecycle."""
    breaches = [
        _breach(name, part.contract, lifecycle)
        for name, part in translator.parts.items()
        if (lifecycle := part.contract.lifecycle()) is not None
    ]
    return F.coalesce(*breaches, no_breach())


def may_end_moves(translator: type[Translator]) -> bool:
    """Whether a lifecycle quarantines rows that move as it does not allow."""
    return any(_declared(translator, *ENDING))


def doubtful_move(translator: type[Translator]) -> Column:
    """Whether a lifecycle lowers the confidence of the change's events; never null."""
    moves = [
        _otherwise(lifecycle, *(image(side, name).getField(lifecycle.column) for side in _SIDES))
        for name, _, lifecycle in _declared(translator, INFER)
    ]
    return reduce(Column.__or__, moves, F.lit(False))


def move_questions(translator: type[Translator], move: ImageMove) -> Iterator[Question]:
    """The ends of moves that a lifecycle does not allow, where it quarantines them."""
    for name, contract, lifecycle in _declared(translator, *ENDING):
        before, after = (
            side.getField(name).getField(lifecycle.column) for side in (move.was, move.now)
        )
        rule = lifecycle_rule(contract, lifecycle)
        waits = lifecycle.otherwise == HOLD
        yield Question(
            _otherwise(lifecycle, before, after),
            QUARANTINED,
            F.lit(rule.replace("lifecycle", "lifecycle-awaited", 1) if waits else rule),
            F.concat(_move_text(contract, lifecycle, before, after), F.lit(_NOT_ALLOWED)),
        )


def _declared(
    translator: type[Translator], *otherwise: str
) -> Iterator[tuple[str, type[SourceContract], Lifecycle]]:
    """The parts whose lifecycle has one of these values of `otherwise`."""
    for name, part in translator.parts.items():
        lifecycle = part.contract.lifecycle()
        if lifecycle is not None and lifecycle.otherwise in otherwise:
            yield name, part.contract, lifecycle


def _otherwise(lifecycle: Lifecycle, before: Column, after: Column) -> Column:
    """Whether the status changed as the lifecycle does not allow; never null."""
    return F.coalesce((before != after) & ~allows(lifecycle, before, after), F.lit(False))


def allows(lifecycle: Lifecycle, before: Column, after: Column) -> Column:
    """Whether the status `after` may follow `before`; null where one of them is null."""
    follows = [
        (before == status) & after.isin(*following)
        for status, following in lifecycle.follows.items()
        if following
    ]
    return reduce(Column.__or__, follows, F.lit(False))


def _move_text(
    contract: type[SourceContract], lifecycle: Lifecycle, before: Column, after: Column
) -> Column:
    came_from, became = (
        shown_in_reason(contract, lifecycle.column, status) for status in (before, after)
    )
    return F.concat(F.lit(f"{lifecycle.column} went from "), came_from, F.lit(" to "), became)


def _breach(part: str, contract: type[SourceContract], lifecycle: Lifecycle) -> Column:
    column = lifecycle.column
    before, after = F.col(MOVED_FROM.of(part)), F.col(MOVED_TO.of(part))
    mine = F.col("row_end").isNull() & (F.col(PART) == part)
    begun = (F.col("op") == CREATE) & after.isNotNull() & ~after.isin(*lifecycle.start)
    moved = (F.col("op") == UPDATE) & _otherwise(lifecycle, before, after)
    created = F.concat(
        F.lit(f"a row was created with {column} "), shown_in_reason(contract, column, after)
    )
    description = F.when(begun, created).when(moved, _move_text(contract, lifecycle, before, after))
    return F.when(
        mine & description.isNotNull(),
        F.struct(
            F.lit(lifecycle_rule(contract, lifecycle)).alias("rule"),
            F.concat(description, F.lit(_NOT_ALLOWED)).alias("reason"),
        ),
    )


def lifecycle_rule(contract: type[SourceContract], lifecycle: Lifecycle) -> str:
    """The rule of a finding of this lifecycle."""
    return f"lifecycle:{contract.source()}.{contract.table()}.{lifecycle.column}"
