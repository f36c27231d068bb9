"""The id of a row's subject."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator.part import Part


def subject_of(part: Part, row: Column) -> Column:
    """The subject's id as text; null if one of its columns is null."""
    return joined_subject([row.getField(name) for name in part.subject])


def joined_subject(columns: Sequence[Column]) -> Column:
    """Several columns that make a subject as one text, joined by "/"; null if one is null."""
    joined: list[Column] = []
    for column in columns:
        joined += [F.lit("/"), column.cast("string")]
    return joined[1] if len(columns) == 1 else F.concat(*joined[1:])
