"""What is refused when a translator class is defined, before any Spark session is there."""

from cutline.translator.validation.protocol import DeclaredTranslator
from cutline.translator.validation.row_access import column_of_row, refuse_unknown_columns
from cutline.translator.validation.validate import refuse_misfits
from cutline.translator.validation.views import not_for_rows, with_views_asked

__all__ = [
    "DeclaredTranslator",
    "column_of_row",
    "not_for_rows",
    "refuse_misfits",
    "refuse_unknown_columns",
    "with_views_asked",
]
