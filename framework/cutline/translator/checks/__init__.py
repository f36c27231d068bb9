"""What a source contract may demand of its rows; all of it is known without a Spark session."""

from cutline.translator.checks.column_checks import DeclaredCheck, declared_checks
from cutline.translator.checks.row_check import ContractRow, RowCheck, row_check, row_checks
from cutline.translator.checks.validation import refuse_uncompilable
from cutline.translator.unique import UniqueColumns, unique_columns

__all__ = [
    "ContractRow",
    "DeclaredCheck",
    "RowCheck",
    "UniqueColumns",
    "declared_checks",
    "refuse_uncompilable",
    "row_check",
    "row_checks",
    "unique_columns",
]
