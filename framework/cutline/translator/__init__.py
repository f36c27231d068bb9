"""The language in which a domain team writes what legacy rows mean."""

from cutline.translator.checks import row_check
from cutline.translator.column import column
from cutline.translator.contract import Older, SourceContract, older, table
from cutline.translator.event_translator import DomainEvent, EventTranslator, IntegrationEvent
from cutline.translator.in_commit import InCommit, in_commit
from cutline.translator.lifecycle import Lifecycle, lifecycle
from cutline.translator.occurrence import COMMIT, EFFECTIVE, Each, Occurrence, each
from cutline.translator.part import HOLD, INFER, REJECT, Lookup, Part, lookup, part
from cutline.translator.rules import (
    ambiguous,
    changed,
    fact,
    ignore,
    reject,
    removed,
    todo,
    understood,
)
from cutline.translator.shapes.validation import EVERY_OTHER
from cutline.translator.translation import Translation, Truth
from cutline.translator.translator import Translator
from cutline.translator.within import EACH, WHOLE, WithinTransaction

__all__ = [
    "COMMIT",
    "EACH",
    "EFFECTIVE",
    "EVERY_OTHER",
    "HOLD",
    "INFER",
    "REJECT",
    "WHOLE",
    "DomainEvent",
    "Each",
    "EventTranslator",
    "InCommit",
    "IntegrationEvent",
    "Lifecycle",
    "Lookup",
    "Occurrence",
    "Older",
    "Part",
    "SourceContract",
    "Translation",
    "Translator",
    "Truth",
    "WithinTransaction",
    "ambiguous",
    "changed",
    "column",
    "each",
    "fact",
    "ignore",
    "in_commit",
    "lifecycle",
    "lookup",
    "older",
    "part",
    "reject",
    "removed",
    "row_check",
    "table",
    "todo",
    "understood",
]
