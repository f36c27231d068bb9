"""What is refused when a translator class is defined, before any Spark session is there."""

from cutline.translator.validation.protocol import DeclaredTranslator
from cutline.translator.validation.row_access import refuse_unknown_columns, refuse_unknown_path
from cutline.translator.validation.validate import refuse_misfits
from cutline.translator.validation.views import facts_with_views, view_in_row_rule_error

__all__ = [
    "DeclaredTranslator",
    "facts_with_views",
    "refuse_misfits",
    "refuse_unknown_columns",
    "refuse_unknown_path",
    "view_in_row_rule_error",
]
