"""The property `ends`: every row has exactly one end."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.tables import disposition


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per capture whose ends are not those of its rows, and per end without name or rule."""
    parts = {part.contract for part in trial.translator.parts.values()}
    for capture in trial.captures:
        steps = trial.histories[capture.history].steps_captured_at(capture.moment)
        rows = [step for step in steps if step.contract in parts]
        if [end.step for end in capture.ends] != rows:
            yield Violation(
                "rows",
                f"{len(rows)} rows came to {len(capture.ends)} ends: each must have exactly one",
                "A lookup that meets several rows multiplies its row: join it by a whole key, or "
                "say many=True.",
                capture.history,
            )
        for end in capture.ends:
            if end.disposition not in disposition.ALL or not end.rule:
                yield Violation(
                    "disposition",
                    f"a row ended as {end.disposition!r} by {end.rule!r}",
                    "Give each rule a name.",
                    capture.history,
                )


ENDS = Property("ends", "every row has exactly one end, whatever stands in it", _violations)
