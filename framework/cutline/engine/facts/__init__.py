"""Facts: from a translator's methods to arrays of candidate events, in columns.

What an image says is the set of the names of its facts. A fact rises where an image says its name
and the last sound image of the subject did not.
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
