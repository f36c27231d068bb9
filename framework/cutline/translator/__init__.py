"""The language in which a domain team writes what legacy rows mean."""

from cutline.translator.contract import SourceContract, column, table
from cutline.translator.occurrence import Each, Occurrence, each
from cutline.translator.part import Lookup, Part, lookup, part
from cutline.translator.rules import ambiguous, fact, ignore, reject
from cutline.translator.translation import Translation, Truth
from cutline.translator.translator import Translator

__all__ = [
    "Each",
    "Lookup",
    "Occurrence",
    "Part",
    "SourceContract",
    "Translation",
    "Translator",
    "Truth",
    "ambiguous",
    "column",
    "each",
    "fact",
    "ignore",
    "lookup",
    "part",
    "reject",
    "table",
]
