"""Rows of the legacy that are no states, each kind named with its column and some subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Aggregate
from cutline.errors import RunFailed
from cutline.masking import Masking, masking
from cutline.readmodels import ReadModelColumn
from cutline.readmodels.lines import NO_VALUE, values_text
from cutline.sql.spark import quoted
from cutline.translator.translation import Translation
from cutline_reconciliation.compare.columns.parse_texts import UNREADABLE
from cutline_reconciliation.rebuild.queries import StatesQuery

_SUBJECT = "subject"
_SHOWN = 3
"""How many subjects of a fault an error names."""


def refuse_faults(
    parsed: DataFrame,
    types: Mapping[str, T.DataType],
    required: Sequence[str],
    query: StatesQuery,
    translation: Translation,
) -> None:
    """RunFailed, with each fault, unless every row is a state.

    `parsed` is what `parse_texts` gave for `types`; `required` are columns without nulls.
    """
    faults = dict(_faults(types, required))
    counted = parsed.agg(
        *(F.count_if(is_fault).alias(f"{i}") for i, is_fault in enumerate(faults.values()))
    )
    counts = dict(zip(faults, counted.collect()[0], strict=True))
    twice = parsed.groupBy(_SUBJECT).count().where("count > 1")
    duplicates = twice.agg(F.count(F.lit(1))).collect()[0][0]
    mask = masking([translation])
    sentences = [
        f"{count:,} rows {fault}{_such_as(parsed.where(faults[fault]), query.aggregate, mask)}"
        for fault, count in counts.items()
        if count
    ]
    if duplicates:
        named = _such_as(twice, query.aggregate, mask)
        sentences.append(f"{duplicates:,} subjects have more than one row{named}")
    if sentences:
        raise RunFailed(
            f"{query.key} gives rows that are no states: {'; '.join(sentences)}",
            left_behind="Nothing was built. What services read was not changed.",
            next_step="Mend its SQL, or those rows, then run the same command again.",
        )


def _faults(
    types: Mapping[str, T.DataType], required: Sequence[str]
) -> Iterator[tuple[str, Column]]:
    """By what is wrong with a row, whether it is."""
    for name, kind in types.items():
        yield (
            f"have in column {name} what is no {kind.simpleString()}",
            F.array_contains(UNREADABLE, name),
        )
        if name in required:
            is_null = F.col(quoted(name)).isNull() & ~F.array_contains(UNREADABLE, name)
            yield f"have a null in column {name}", is_null
        line = values_text([ReadModelColumn(name=name, type=kind.simpleString())])
        yield (
            f"have in column {name} what no database keeps, the character U+0000 or a year beyond "
            "1 to 9999",
            F.contains(line, F.lit(NO_VALUE.decode())),
        )


def _such_as(rows: DataFrame, aggregate: Aggregate, mask: Masking) -> str:
    """Some of the subjects, as they stand in a sentence; personal ones are masked."""
    first = rows.select(_SUBJECT).distinct().orderBy(_SUBJECT).limit(_SHOWN).collect()
    subjects = dict.fromkeys(repr(mask.subject(aggregate.name, row[0])) for row in first)
    return f", such as of {', '.join(subjects)}"
