"""The id of a row's subject."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator.part import Part


def subject_of(part: Part, row: Column) -> Column:
    """The subject's id as text; null where `joined_subject` is."""
    return joined_subject([row.getField(name) for name in part.subject])


def joined_subject(columns: Sequence[Column]) -> Column:
    """Several columns that make a subject as one text, joined by "/".

    Null if one is null, or if one of several holds "/" itself: `x/y` and `z` are not `x` and `y/z`.
    """
    texts = [column.cast("string") for column in columns]
    if len(texts) == 1:
        return texts[0]
    joined: list[Column] = []
    for text in texts:
        joined += [F.lit("/"), F.when(~F.contains(text, F.lit("/")), text)]
    return F.concat(*joined[1:])
