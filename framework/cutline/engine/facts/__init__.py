"""Facts: from a translator's methods to arrays of events, in columns.

Each fact has a name in each image in which it holds. An event rises where an image has a name that
the last sound image of the subject does not have.
"""

from cutline.engine.facts.column_facts import Fact, MoveFact, compile_facts
from cutline.engine.facts.event_columns import GUESSED
from cutline.engine.facts.event_struct import EVENT_STRUCT, no_events
from cutline.engine.facts.prior_state import NAMES_OF_BEFORE
from cutline.engine.facts.python_facts import PythonFact

__all__ = [
    "EVENT_STRUCT",
    "GUESSED",
    "NAMES_OF_BEFORE",
    "Fact",
    "MoveFact",
    "PythonFact",
    "compile_facts",
    "no_events",
]
