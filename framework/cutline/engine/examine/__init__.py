"""What a translator's expressions are, found out before any row is read.

Each rule is analysed by Spark on an empty image: the types it gives, the columns it looks at,
whether it says the same of the same row on every day, and a fingerprint of what it means.
"""

from cutline.engine.examine.analyse import TranslatorAnalysis, analyse_translator
from cutline.engine.examine.columns_used import WHOLE, UsedColumn
from cutline.engine.examine.empty import empty_images
from cutline.engine.examine.fingerprint import fingerprint_method
from cutline.engine.examine.purity import impurity
from cutline.engine.examine.rule_analysis import DATA, KEY, RuleAnalysis, as_list
from cutline.engine.examine.unstable import is_unstable

__all__ = [
    "DATA",
    "KEY",
    "WHOLE",
    "RuleAnalysis",
    "TranslatorAnalysis",
    "UsedColumn",
    "analyse_translator",
    "as_list",
    "empty_images",
    "fingerprint_method",
    "impurity",
    "is_unstable",
]
