"""The published page: its tables are written from the scores, its sentences by hand.

After a change that is meant, write the tables again and read what changed:

    EVENTS_DATA=../shared/data/events PYTHONPATH=tests .venv/bin/python -m support.scored
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from support.paths import DOCS
from support.scored.fines.spoiled import Spoiled
from support.scored.judgement import Judgement
from support.scored.scored import Scored
from support.scored.truth import TrueEvent

PAGE = DOCS / "score.md"


def of_fines(fines: Scored, spoiled: tuple[Spoiled, Judgement]) -> dict[str, str]:
    """The tables of the fines by name."""
    return {
        "fines": _activities(fines),
        "fines-cuts": _cuts(fines),
        "fines-values": _values(fines),
        "fines-found": _counts("step", fines.changes.outcome.findings),
        "fines-spoiled": _spoiled(fines, *spoiled),
    }


def of_claims(claims: Scored) -> dict[str, str]:
    """The tables of the claims by name."""
    return {
        "claims": _activities(claims),
        "claims-cuts": _cuts(claims),
        "claims-values": _values(claims),
    }


def named(page: str, log: str = "") -> list[str]:
    """The tables of a page whose names begin with that of a log."""
    names = re.findall(r"<!-- ([a-z-]+) -->\n(?=.*?<!-- end -->)", page, re.DOTALL)
    return sorted(n for n in names if n != "end" and n.startswith(log))


def filled(page: str, tables: Mapping[str, str], log: str = "") -> str:
    """The page with the tables of a log in place of those between `<!-- name -->` and `<!-- end -->`.

    Every table of the log must have been made, and no other.
    """
    assert named(page, log) == sorted(tables)
    for name, table in tables.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = place.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page)
    return page


def _activities(scored: Scored) -> str:
    """One line an activity: the snapshot alone, then all changes; a last line for all of them."""
    alone, changes = scored.snapshot, scored.changes
    activities = list(dict.fromkeys(event.activity for event in scored.true))
    lines = [
        [
            activity,
            _number(scored.true, activity),
            _number(alone.expected, activity),
            *(run[activity] for run in (alone.recovered, alone.missed, alone.invented)),
            *(run[activity] for run in (changes.recovered, changes.missed, changes.invented)),
        ]
        for activity in activities
    ]
    total = ["all", *(sum(int(line[i]) for line in lines) for i in range(1, 9))]
    heads = ("activity", "true", "derivable", "recovered", "missed", "invented")
    return _table([*heads, "recovered", "missed", "invented"], [*lines, total])


def _cuts(scored: Scored) -> str:
    """One line a cut."""
    lines = [
        [
            moment,
            len(run.expected),
            *(sum(n.values()) for n in (run.recovered, run.missed, run.invented)),
            len(scored.true) - len(run.expected),
        ]
        for moment, run in scored.cuts.items()
    ]
    heads = ["snapshot at", "to be told", "recovered", "missed", "invented", "lost before"]
    return _table(heads, lines)


def _values(scored: Scored) -> str:
    """One line a label: how many events of the snapshot carry it, and what their values are worth."""
    run = scored.snapshot
    labels = run.labels()
    lines = [[f"labelled {label}", labels[label]] for label in sorted(labels)]
    lines += [
        [f"not told: {field} of {activity}", n]
        for (activity, field), n in _sorted(run.missing_values())
    ]
    wrong = sum(run.wrong().values()) + sum(scored.changes.wrong().values())
    return _table(
        ["from the snapshot alone", "events"], [*lines, ["wrong values, both ways", wrong]]
    )


def _spoiled(fines: Scored, arrived: Spoiled, run: Judgement) -> str:
    """One line a rule, then what became of the events."""
    lines = [[f"`{rule}`", n, run.outcome.exceptions[rule]] for rule, n in _sorted(arrived.rules())]
    recovered = sum(run.recovered.values())
    lines += [["events that sound rows still tell", len(run.expected), recovered]]
    lines += [["events lost with their rows", len(fines.true) - len(run.expected), ""]]
    return _table(["", "spoiled", "found"], lines)


def _counts(heading: str, counts: Mapping[str, int]) -> str:
    return _table([heading, "times"], [[told, n] for told, n in _sorted(counts)])


def _sorted(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], str(entry[0])))


def _number(events: Iterable[TrueEvent], activity: str) -> int:
    return sum(event.activity == activity for event in events)


def _table(heads: list[str], lines: Iterable[Iterable[object]]) -> str:
    rows = [heads, ["---", *("---:" for _ in heads[1:])]]
    rows += [[f"{v:,}" if isinstance(v, int) else str(v) for v in line] for line in lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
