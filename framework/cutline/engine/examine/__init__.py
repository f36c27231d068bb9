"""Examination: a translator's rules are analysed before any row is read.

Spark analyses each rule on an empty image. That gives its types, the columns that it reads, whether
it is a function of one row, and a fingerprint of its meaning.
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
