"""Every row has one end."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.tables import disposition


def _broken(trial: Trial) -> Iterator[Violation]:
    parts = {part.contract for part in trial.translator.parts.values()}
    for telling in trial.tellings:
        steps = trial.histories[telling.history].seen_from(telling.moment)
        rows = [step for step in steps if step.contract in parts]
        if [end.step for end in telling.ends] != rows:
            yield Violation(
                "rows",
                f"{len(rows)} rows came to {len(telling.ends)} ends: each must have exactly one",
                "A lookup that meets several rows multiplies its row: join it by a whole key, or "
                "say many=True.",
                telling.history,
            )
        for end in telling.ends:
            if end.disposition not in disposition.ALL or not end.rule:
                yield Violation(
                    "disposition",
                    f"a row ended as {end.disposition!r} by {end.rule!r}",
                    "Give each rule a name.",
                    telling.history,
                )


ENDS = Property("ends", "every row has exactly one end, whatever stands in it", _broken)
