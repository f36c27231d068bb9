"""What a translator's expressions are, found out before any row is read.

Each rule is analysed by Spark on an empty image: the types it gives, the columns it looks at,
whether it says the same of the same row on every day, and a fingerprint of what it means.
"""

from cutline.engine.examine.analyse import TranslatorAnalysis, analyse_translator
from cutline.engine.examine.fingerprint import fingerprint_method
from cutline.engine.examine.rule_analysis import RuleAnalysis

__all__ = [
    "RuleAnalysis",
    "TranslatorAnalysis",
    "analyse_translator",
    "fingerprint_method",
]
