"""The rows that rules take: one image, its parts, lookups and views, as Spark columns."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator.names import SELF
from cutline.translator.translator import Translator
from cutline.translator.validation import refuse_unknown_path

AFTER, BEFORE, LAST, WAS = "after", "before", "last", "was"


def image(side: str, name: str) -> Column:
    """The struct column of one part or lookup, on one side of the image.

    | side     | the row                                                         |
    |----------|-----------------------------------------------------------------|
    | `after`  | after the commit; null where it is deleted                      |
    | `before` | before the commit; null where there was none                    |
    | `last`   | after the commit, or of a deleted row before it                 |
    | `was`    | in the subject's last sound image                               |
    """
    if side == LAST:
        return F.coalesce(F.col(f"{AFTER}_{name}"), F.col(f"{BEFORE}_{name}"))
    return F.col(f"{side}_{name}")


def whole_image(translator: type[Translator], side: str) -> Column:
    """One side of an image as one struct: all parts, lookups and views.

    The lookups are those of `after`, except on the side `was`; views are null before a commit.
    """
    lookups = WAS if side == WAS else AFTER
    return F.struct(
        *(image(side, name).alias(name) for name in translator.parts),
        *(image(lookups, name).alias(name) for name in translator.lookups),
        *(view_of(side, name).alias(name) for name in translator.views),
    )


def view_of(side: str, name: str, images: Column | None = None) -> Column:
    """What a view counts of the commit; null on the sides `before` and `was`.

    It is a field of the struct `images`, if that is given, else a column of its own.
    """
    shown = image(AFTER, name) if images is None else images.getField(name)
    return shown if side in (AFTER, LAST) else F.when(F.lit(False), shown)


def view_types(translator: type[Translator]) -> Mapping[str, str]:
    """The type of each view's struct, as DDL, by the view's name."""
    return {
        name: f"struct<{', '.join(f'`{n}`:{ddl}' for n, ddl in view.fields.items())}>"
        for name, view in translator.views.items()
    }


class TableFields:
    """The columns of one part, lookup or view."""

    def __init__(self, row: ImageRow, table: str) -> None:
        self._row, self._table = row, table

    def __getattr__(self, name: str) -> Column:
        if name.startswith("__"):
            raise AttributeError(name)
        path = (name,) if self._table == SELF else (self._table, name)
        refuse_unknown_path(self._row._translator, path, self._row._where)
        return self._row._image(self._table).getField(name)


class Element:
    """One element of an array of structs, within `each`."""

    def __init__(self, column: Column) -> None:
        self._column = column

    def __getattr__(self, name: str) -> Column:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._column.getField(name)


class ImageRow:
    """One image of a row: `row.status`, `row.<part>.status`, `row.<view>.deleted`.

    Its tables are columns of their own, or the fields of the struct `images`.
    """

    def __init__(
        self, translator: type[Translator], side: str, rule: str, images: Column | None = None
    ) -> None:
        self._translator, self._side, self._images = translator, side, images
        self._where = f"translator {translator.__name__}, rule {rule}"

    def __getattr__(self, name: str) -> Column | TableFields:
        if name.startswith("__"):
            raise AttributeError(name)
        translator = self._translator
        if name in translator.lookups:
            return self._image(name) if translator.lookups[name].many else TableFields(self, name)
        if name in translator.views or (name in translator.parts and name != SELF):
            return TableFields(self, name)
        refuse_unknown_path(translator, (name,), self._where)
        column: Column = getattr(TableFields(self, SELF), name)
        return column

    def _image(self, table: str) -> Column:
        if table in self._translator.views:
            return view_of(self._side, table, self._images)
        if self._images is not None:
            return self._images.getField(table)
        # Lookups are joined once per image, by its last row: both sides of a change have the same.
        side = self._side if self._side == WAS or table not in self._translator.lookups else AFTER
        return image(side, table)
