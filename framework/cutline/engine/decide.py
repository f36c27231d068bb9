"""The order in which a row's end is decided: the first rule that holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.images import PART, SEVERAL, without_prior_image
from cutline.engine.row import AFTER, Row, image
from cutline.errors import ConfigurationError
from cutline.tables.change import DELETE
from cutline.tables.disposition import AMBIGUOUS, NO_OP, QUARANTINED, TRANSLATED
from cutline.translator import rules
from cutline.translator.translator import Translator


@dataclass(frozen=True)
class Step:
    """One question and the end of a row for which the answer is yes."""

    asked: Column
    disposition: Column
    rule: Column
    reason: Column


def end(translator: type[Translator], changing: bool) -> Column:
    """The end of a row: a struct of `disposition`, `rule` and `reason`.

    It needs the columns `candidates` and `fault` beside those of an image. `changing` says whether
    the translator's tables have change files.
    """
    steps = list(_steps(translator, changing))
    chosen: Column | None = None
    for step in steps:
        made = F.struct(
            step.disposition.alias("disposition"),
            step.rule.alias("rule"),
            step.reason.alias("reason"),
        )
        chosen = F.when(step.asked, made) if chosen is None else chosen.when(step.asked, made)
    assert chosen is not None
    return chosen


def _steps(translator: type[Translator], changing: bool) -> Iterator[Step]:
    row_end = F.col("row_disposition")
    yield Step(row_end.isNotNull(), row_end, F.col("row_rule"), F.col("row_reason"))
    yield _step(
        F.col("subject").isNull(),
        QUARANTINED,
        "subject-missing",
        "the row does not say which subject it belongs to",
    )
    yield Step(
        F.col(SEVERAL).isNotNull(),
        F.lit(AMBIGUOUS),
        F.col(SEVERAL),
        F.lit("the snapshot holds several rows where a subject has one"),
    )
    if changing:
        yield from _steps_of_changes(translator)
    yield from _steps_of_parts(translator)
    yield from _steps_of_rules(translator)
    yield from _steps_of_facts()


def _steps_of_changes(translator: type[Translator]) -> Iterator[Step]:
    yield _step(
        without_prior_image(translator),
        QUARANTINED,
        "no-prior-image",
        "an update came to a row of which nothing was known before",
    )
    yield _step(
        F.col("op") == DELETE,
        QUARANTINED,
        "deletion-without-meaning",
        "the row was deleted, and the translator does not say what that means",
    )


def _steps_of_parts(translator: type[Translator]) -> Iterator[Step]:
    for name, part in translator.parts.items():
        if part.required:
            yield _step(
                image(AFTER, name).isNull() & (F.col(PART) != name),
                QUARANTINED,
                f"part-missing:{name}",
                f"{_table(part.contract)} has no readable row of the subject",
            )
    for name, lookup in translator.lookups.items():
        if not lookup.many:
            yield _step(
                F.col(f"several_{AFTER}_{name}") > 1,
                AMBIGUOUS,
                f"several-rows:{name}",
                f"several rows of {_table(lookup.contract)} meet the key",
            )


def _steps_of_rules(translator: type[Translator]) -> Iterator[Step]:
    for kind, disposition in _KINDS.items():
        for rule in translator.row_rules:
            if rule.kind == kind:
                yield _step(_asked(translator, rule), disposition, rule.name, rule.reason)


def _steps_of_facts() -> Iterator[Step]:
    yield Step(
        F.col("fault").isNotNull(),
        F.lit(QUARANTINED),
        F.col("fault"),
        F.lit("the row has no valid value for a field of the event that it announces"),
    )
    types = F.array_distinct(F.transform("candidates", lambda event: event.getField("type")))
    yield Step(
        F.size("candidates") > 0,
        F.lit(TRANSLATED),
        F.concat_ws(", ", types),
        F.lit(None).cast("string"),
    )
    yield _step(
        F.lit(True),
        NO_OP,
        "nothing-to-announce",
        "the change makes no fact true that was not true before",
    )


_KINDS = {rules.REJECT: QUARANTINED, rules.AMBIGUOUS: AMBIGUOUS, rules.IGNORE: NO_OP}


def _step(asked: Column, disposition: str, rule: str, reason: str) -> Step:
    asked = F.coalesce(asked, F.lit(False))
    return Step(asked, F.lit(disposition), F.lit(rule), F.lit(reason))


def _asked(translator: type[Translator], rule: rules.RowRule) -> Column:
    said = rule.method(translator(), Row(translator, AFTER, rule.name))
    if not isinstance(said, Column):
        raise ConfigurationError(
            f"translator {translator.__name__}, rule {rule.name} returned "
            f"{type(said).__name__}; it must return a predicate on the row's columns"
        )
    return said


def _table(contract: type) -> str:
    return f"{contract.source()}.{contract.table()}"  # type: ignore[attr-defined]
