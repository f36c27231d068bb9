"""Lifecycles, held against the changes: a transition that the contract does not allow."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.carrying import MOVED_FROM, MOVED_TO, PART
from cutline.tables.change import CREATE, UPDATE
from cutline.translator.contract import SourceContract
from cutline.translator.lifecycle import Lifecycle
from cutline.translator.translator import Translator


def lifecycle_rules(translator: type[Translator]) -> tuple[str, ...]:
    """The names under which breaches of the translator's lifecycles are counted."""
    return tuple(
        _rule(part.contract, part.contract.lifecycle())
        for part in translator.parts.values()
        if part.contract.lifecycle() is not None
    )


def no_breach() -> Column:
    """Nothing that a lifecycle forbids."""
    return F.lit(None).cast("struct<rule:string,reason:string>")


def breach(translator: type[Translator]) -> Column:
    """A struct of `rule` and `reason`; null where the change keeps to its lifecycle."""
    found = [
        _breach(name, part.contract, part.contract.lifecycle())
        for name, part in translator.parts.items()
        if part.contract.lifecycle() is not None
    ]
    return F.coalesce(*found, no_breach())


def _breach(part: str, contract: type[SourceContract], lifecycle: Lifecycle | None) -> Column:
    assert lifecycle is not None
    column = lifecycle.column
    before, after = F.col(f"{MOVED_FROM}{part}"), F.col(f"{MOVED_TO}{part}")
    mine = F.col("row_end").isNull() & (F.col(PART) == part)
    begun = (F.col("op") == CREATE) & after.isNotNull() & ~after.isin(*lifecycle.start)
    follows = [
        (before == status) & after.isin(*following)
        for status, following in lifecycle.follows.items()
        if following
    ]
    allowed = reduce(Column.__or__, follows, F.lit(False))
    moved = (F.col("op") == UPDATE) & (before != after) & ~allowed
    told = F.when(begun, F.concat(F.lit(f"a row was created with {column} "), after)).when(
        moved, F.concat(F.lit(f"{column} went from "), before, F.lit(" to "), after)
    )
    return F.when(
        mine & told.isNotNull(),
        F.struct(
            F.lit(_rule(contract, lifecycle)).alias("rule"),
            F.concat(told, F.lit(", which its lifecycle does not allow")).alias("reason"),
        ),
    )


def _rule(contract: type[SourceContract], lifecycle: Lifecycle | None) -> str:
    assert lifecycle is not None
    return f"lifecycle:{contract.source()}.{contract.table()}.{lifecycle.column}"
