"""The property `rules`: the engine accepts the translator's rules, and each can announce events."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.engine.examine import analyse_translator
from cutline.errors import ConfigurationError
from cutline.testing.session import run_session


def _violations(trial: Trial) -> Iterator[Violation]:
    """The engine's refusal, or one per rule that can announce nothing from a snapshot."""
    try:
        analysis = analyse_translator(run_session(), trial.translator)
    except ConfigurationError as error:
        yield Violation("rules", error.what, error.next_step)
        return
    for silence in analysis.silences:
        yield Violation("rules", silence.problem, silence.next_step)


RULES = Property(
    "rules",
    "each rule can be computed in columns, says the same of the same row, and names its times",
    _violations,
    is_static=True,
)
