"""Sentences about a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from cutline.tables.breaks import OUTCOME, RECORD, STATE
from cutline.wording import counted
from cutline_reconciliation.explain.places import NOT_NULL, Attribute
from cutline_reconciliation.explain.risk import LEAST_SUBJECTS, Cause, Counts


def pattern_sentence(
    *, level: str, name: str, column: str | None, pattern: str, breaks: int
) -> str:
    """A sentence about what the breaks have in common."""
    return {
        RECORD: f"{counted(breaks, 'subject')} of {name}: {pattern}.",
        STATE: f"{counted(breaks, 'break')} of {name}.{column}: {pattern}.",
        OUTCOME: f"{counted(breaks, 'decision')} of {name}: {pattern}.",
    }[level]


def cause_sentence(cause: Cause[Attribute] | None, subjects: int, matched: int) -> str:
    """A sentence about how their subjects differ from matches."""
    if cause is None and not matched:
        return "No subject matches that they could be told from."
    if cause is None and subjects < LEAST_SUBJECTS:
        few = "One subject is" if subjects == 1 else f"{subjects} subjects are"
        return f"{few} too few to tell what sets them apart from the {matched:,} that match."
    if cause is None:
        return f"Nothing in their legacy rows sets them apart from the {matched:,} that match."
    counts = cause.counts
    return (
        f"{_of(counts.broken_with, subjects, 'them')} {_have(counts)} "
        f"{attribute_text(cause.attributes)}; {_of_matches(counts)}."
    )


def not_looked_into_sentence(most: int) -> str:
    """A sentence about a cluster that is too small for its causes to be looked for."""
    return f"No cause was looked for: it is not among the {most:,} clusters of most breaks."


def attribute_text(attributes: Iterable[Attribute]) -> str:
    """`erp.products.kind = BUNDLE`, or two of these joined by `and`."""
    return " and ".join(_attribute_text(*attribute) for attribute in attributes)


def share(part: int, whole: int) -> str:
    """A share in percent, rounded down: `all` and `none` are exact.

    Other shares have one decimal place, or are `less than 0.1 %`.
    """
    if not part:
        return "none"
    if part == whole:
        return "all"
    tenths = Fraction(part * 1000, whole).__floor__()
    if not tenths:
        return "less than 0.1 %"
    return f"{tenths // 10}.{tenths % 10} %".replace(".0 %", " %")


def _have(counts: Counts) -> str:
    return "has" if counts.broken_with == 1 else "have"


def _of(part: int, whole: int, noun: str) -> str:
    text = share(part, whole)
    return f"{text[0].upper()}{text[1:]} of the {whole:,} subjects" if noun else text


def _of_matches(counts: Counts) -> str:
    text = share(counts.matched_with, counts.matched)
    return f"of the {counts.matched:,} that match, {text} {'does' if text == 'none' else 'do'}"


def _attribute_text(name: str, value: str | None) -> str:
    if value is None:
        return f"{name} is null"
    return f"{name} is not null" if value == NOT_NULL else f"{name} = {value}"
