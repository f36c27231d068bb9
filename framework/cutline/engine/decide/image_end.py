"""The questions that decide a row's end, in their order: the first that holds decides.

Most questions are about the image alone. An image that ends at one of them is not sound: its facts
are not announced, and the next sound image is compared with the last sound one before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.compose import (
    SEVERAL,
    TAKEN_AWAY,
    UNREADABLE,
    is_complete,
    lacks_prior_image,
    match_count,
    optional_parts,
    unread_match,
    view_questions,
)
from cutline.engine.decide.frames import RISEN
from cutline.engine.end import Question, first_end, question, shown_in_reason
from cutline.engine.examine import WHOLE, TranslatorAnalysis
from cutline.engine.facts import Fact
from cutline.engine.restore import ROW_END, column_checks
from cutline.engine.rules import AFTER, BEFORE, LAST, holds, image
from cutline.tables.change import DELETE
from cutline.tables.disposition import AMBIGUOUS, NO_OP, QUARANTINED, TRANSLATED
from cutline.translator.contract import table_name
from cutline.translator.names import SELF
from cutline.translator.part import HOLD, INFER, Lookup, Part
from cutline.translator.rules import AMBIGUOUS as UNCLEAR
from cutline.translator.rules import IGNORE, REJECT, REMOVED, TODO, UNDERSTOOD
from cutline.translator.translator import Translator

PART_AWAITED, LOOKUP_AWAITED = "part-awaited:", "lookup-awaited:"
"""With the name of the missing part or lookup: the rules of rows that are held until it comes."""


def end_of_image(
    translator: type[Translator],
    analysis: TranslatorAnalysis,
    facts: Sequence[Fact],
    changing: bool,
) -> Column:
    """IMAGE_END, from the columns of an image and FAULT.

    `changing` says whether a table of the translator has changes.
    """
    questions = _image_questions(translator, analysis, facts, changing)
    return F.coalesce(F.col(ROW_END), first_end(list(questions)))


def end_of_row(translator: type[Translator], facts: Sequence[Fact]) -> Column:
    """The end of a row whose image is sound, by the facts that rise (`risen`); never null."""
    announces = reduce(Column.__or__, (rises(i, f) for i, f in enumerate(facts)), F.lit(False))
    questions = [
        *_deletions(translator, announces),
        Question(
            announces,
            TRANSLATED,
            _types(facts),
            F.lit(None).cast("string"),
        ),
        question(
            F.lit(True),
            NO_OP,
            "nothing-to-announce",
            "the change makes no fact true that was not true before",
        ),
    ]
    return first_end(questions)


def sound_before(translator: type[Translator]) -> Column:
    """Whether the image before passes its columns' checks and ends at no row rule; never null."""
    broken = [
        image(BEFORE, name).isNotNull() & check.breaks
        for name, part in translator.parts.items()
        for check in column_checks(part.contract, image(BEFORE, name))
    ]
    ended = [
        holds(translator, rule, BEFORE)
        for rule in translator.row_rules
        if rule.kind in DISPOSITION_OF_KIND and not rule.on_move
    ]
    return ~reduce(Column.__or__, [*broken, *ended], F.lit(False))


def risen(i: int) -> Column:
    """The column with what `Fact.risen` returns for the i-th fact."""
    return F.col(RISEN.of(str(i)))


def rises(i: int, fact: Fact) -> Column:
    """Whether an event of the i-th fact rises; never null."""
    return fact.count(risen(i)) > 0


def _types(facts: Sequence[Fact]) -> Column:
    """The types of the events that rise, each once, in the order of their facts."""
    named: list[Column] = []
    for i, fact in enumerate(facts):
        kind = fact.rule.event.event_type()
        is_first = rises(i, fact)
        for k, earlier in enumerate(facts[:i]):
            if earlier.rule.event.event_type() == kind:
                is_first = is_first & ~rises(k, earlier)
        named.append(F.when(is_first, F.lit(kind)))
    return F.concat_ws(", ", *named)


def _no_subject(translator: type[Translator]) -> str:
    """Why a row has no subject, as a sentence for people."""
    reason = "the row does not say which subject it belongs to"
    if all(len(part.subject) == 1 for part in translator.parts.values()):
        return reason
    return f'{reason}: a column of it is null, or holds "/", which joins its columns'


def _image_questions(
    translator: type[Translator],
    analysis: TranslatorAnalysis,
    facts: Sequence[Fact],
    changing: bool,
) -> Iterator[Question]:
    yield question(
        F.col("subject").isNull(),
        QUARANTINED,
        "subject-missing",
        _no_subject(translator),
    )
    yield Question(
        F.col(SEVERAL).isNotNull(),
        AMBIGUOUS,
        F.col(SEVERAL),
        F.lit("there are several rows where a subject has one"),
    )
    if changing:
        yield question(
            lacks_prior_image(translator),
            QUARANTINED,
            "no-prior-image",
            "a change came to a row of which nothing was known before",
        )
    for name, part in translator.parts.items():
        yield from _missing_part(name, part)
    for name, lookup in translator.lookups.items():
        yield from _lookup_questions(translator, name, lookup)
    for name, view in translator.views.items():
        yield from view_questions(name, view)
    yield from _row_rule_questions(translator)
    for name in optional_parts(translator):
        yield _unreadable_part(name, translator.parts[name])
    yield from _unmapped(translator, analysis, facts)
    yield from _exclusions(facts)
    yield from _twins(facts)
    yield Question(
        F.col("fault").isNotNull(),
        QUARANTINED,
        F.col("fault"),
        F.lit("the row has no valid value for a field of the event that it announces"),
    )


def _missing_part(name: str, part: Part) -> Iterator[Question]:
    if part.required and part.missing != INFER:
        # A deletion needs no other part: those may have been deleted just before.
        is_present = image(AFTER, name).isNotNull() | F.col(TAKEN_AWAY.of(name))
        missing = ~is_present & (F.col("op") != DELETE)
        yield _missing(missing, "part", name, part)


def _unreadable_part(name: str, part: Part) -> Question:
    """A row that cannot be read is not absent: without it the image would be a guess."""
    return question(
        F.col(UNREADABLE.of(name)) & (F.col("op") != DELETE),
        QUARANTINED,
        f"part-unreadable:{name}",
        f"{table_name(part.contract)} has a row for it that could not be read or breaks its "
        "contract",
    )


def _unread_match(lookup: Lookup) -> str:
    table = table_name(lookup.contract)
    return (
        f"{table} has a row that the key meets, and that could not be read or breaks its contract"
    )


def lacks_inferred(translator: type[Translator]) -> Column:
    """Whether a part or lookup with `missing=INFER` is missing; never null."""
    declared: dict[str, Part | Lookup] = {**translator.parts, **translator.lookups}
    missing = [
        image(AFTER, name).isNull()
        for name, one in declared.items()
        if one.required and one.missing == INFER
    ]
    return reduce(Column.__or__, missing, F.lit(False))


def _lookup_questions(
    translator: type[Translator], name: str, lookup: Lookup
) -> Iterator[Question]:
    if not lookup.many:
        count = F.col(match_count(name))
        reason = f" rows of {table_name(lookup.contract)} meet the key"
        yield Question(
            F.coalesce(count > 1, F.lit(False)),
            AMBIGUOUS,
            F.lit(f"several-rows:{name}"),
            F.concat(count.cast("string"), F.lit(reason)),
        )
    is_unread = F.coalesce(F.col(unread_match(name)), F.lit(False))
    if not lookup.required:
        # Before any rule of the translator is asked: one might take the row for an absent one.
        rule = f"lookup-unreadable:{name}"
        yield question(is_unread, QUARANTINED, rule, _unread_match(lookup))
    elif lookup.missing != INFER:
        primary = image(LAST, next(iter(translator.parts)))
        null = reduce(Column.__or__, (primary.getField(c).isNull() for c in lookup.on))
        condition = primary.isNotNull() & image(AFTER, name).isNull()
        lacking = _missing(condition, "lookup", name, lookup)
        unkeyed = F.lit(f"the row names none: {', '.join(lookup.on)} is null")
        waits = "; it is held until a readable one comes" if lookup.missing == HOLD else ""
        unread = F.lit(f"{_unread_match(lookup)}{waits}")
        yield Question(
            lacking.condition,
            lacking.disposition,
            lacking.rule,
            F.when(null, unkeyed).when(is_unread, unread).otherwise(lacking.reason),
        )


def _missing(condition: Column, role: str, name: str, declared: Part | Lookup) -> Question:
    table = table_name(declared.contract)
    if declared.missing == HOLD:
        reason = f"{table} has no row for it yet; it is held until one comes"
        rule = PART_AWAITED if isinstance(declared, Part) else LOOKUP_AWAITED
        return question(condition, QUARANTINED, f"{rule}{name}", reason)
    relation = "of the subject" if role == "part" else "that the key meets"
    reason = f"{table} has no readable row {relation}"
    return question(condition, QUARANTINED, f"{role}-missing:{name}", reason)


DISPOSITION_OF_KIND = {REJECT: QUARANTINED, UNCLEAR: AMBIGUOUS, IGNORE: NO_OP, TODO: QUARANTINED}
"""The disposition by the kind of the row rule that holds, in the order of the questions."""


def _row_rule_questions(translator: type[Translator]) -> Iterator[Question]:
    for kind, disposition in DISPOSITION_OF_KIND.items():
        for rule in translator.row_rules:
            if rule.kind == kind and not rule.on_move:
                name = f"unmapped:{rule.name}" if kind == TODO else rule.name
                yield question(holds(translator, rule), disposition, name, rule.reason)


def _unmapped(
    translator: type[Translator], analysis: TranslatorAnalysis, facts: Sequence[Fact]
) -> Iterator[Question]:
    """Rows with a value of a classifying column for which no rule about the column holds."""
    for name, part in translator.parts.items():
        for column in part.contract.classifying():
            place = {(name, column), (name, WHOLE)}
            answers = [
                fact.holds()
                for fact in facts
                if not fact.rule.on_move and analysis.facts[fact.rule.name].asks & place
            ]
            answers += [
                holds(translator, rule)
                for rule in translator.row_rules
                if rule.kind == UNDERSTOOD
                and not rule.on_move
                and analysis.rules[rule.name].asks & place
            ]
            mapped = reduce(Column.__or__, answers, F.lit(False))
            label = column if name == SELF else f"{name}.{column}"
            value = F.coalesce(image(AFTER, name).getField(column).cast("string"), F.lit("null"))
            yield Question(
                image(AFTER, name).isNotNull() & is_complete(translator, AFTER) & ~mapped,
                QUARANTINED,
                F.lit(f"unmapped:{label}"),
                F.concat(
                    F.lit(f"no rule says what {label} means when it is "),
                    shown_in_reason(part.contract, column, value),
                ),
            )


def _exclusions(facts: Sequence[Fact]) -> Iterator[Question]:
    """Facts that exclude each other, and both hold: the row is ambiguous."""
    by_name = {fact.rule.name: fact for fact in facts}
    pairs = {
        tuple(sorted((fact.rule.name, excluded)))
        for fact in facts
        for excluded in fact.rule.excludes
    }
    for left, right in sorted(pairs):
        yield question(
            by_name[left].holds() & by_name[right].holds(),
            AMBIGUOUS,
            f"both:{left}+{right}",
            f"the row says both {left} and {right}, which exclude each other",
        )


def _twins(facts: Sequence[Fact]) -> Iterator[Question]:
    """Two facts, or two elements of one fact, that announce the same event."""
    by_event: dict[str, list[Fact]] = {}
    for fact in facts:
        by_event.setdefault(fact.rule.event.event_type(), []).append(fact)
    for event, several_facts in by_event.items():
        for fact in (f for f in several_facts if f.may_repeat):
            keys = fact.same_as()
            yield question(
                F.size(F.array_distinct(keys)) < F.size(keys),
                AMBIGUOUS,
                f"two-facts-one-key:{event}",
                f"{fact.rule.name} announces the same {event} twice",
            )
        for left, right in combinations(several_facts, 2):
            yield question(
                F.arrays_overlap(left.same_as(), right.same_as()),
                AMBIGUOUS,
                f"two-facts-one-key:{event}",
                f"{left.rule.name} and {right.rule.name} announce the same {event}",
            )


def _deletions(translator: type[Translator], announces: Column) -> Iterator[Question]:
    primary = next(iter(translator.parts))
    meant = {f.part or primary for f in translator.facts if f.kind == REMOVED}
    unexplained = [F.col(TAKEN_AWAY.of(name)) for name in translator.parts if name not in meant]
    unsaid = reduce(Column.__or__, unexplained, F.lit(False)) & ~announces
    yield question(
        unsaid,
        QUARANTINED,
        "deletion-without-meaning",
        "the row was deleted, and the translator does not say what that means",
    )
