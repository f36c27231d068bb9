"""The checks that a source contract may demand of its rows; declared without a Spark session."""

from cutline.translator.checks.column_checks import ColumnCheck, checks_of_column
from cutline.translator.checks.row_check import ContractRow, RowCheck, row_check, row_checks
from cutline.translator.checks.validation import refuse_uncompilable
from cutline.translator.unique import UniqueColumns, unique_columns

__all__ = [
    "ColumnCheck",
    "ContractRow",
    "RowCheck",
    "UniqueColumns",
    "checks_of_column",
    "refuse_uncompilable",
    "row_check",
    "row_checks",
    "unique_columns",
]
