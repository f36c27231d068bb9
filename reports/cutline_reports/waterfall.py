"""The waterfall from source rows to the target, as lines with the geometry of their bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cutline.tables import disposition, verdict
from cutline_reports.model import RunBooks
from cutline_reports.texts import words

TOTAL, KEPT, ADDED, OUT, LOOK, WRONG = "total", "kept", "added", "out", "look", "wrong"
_ENDS = {
    disposition.NO_OP: "means nothing to this context",
    disposition.VISIBLE: "already visible in the snapshot",
    disposition.QUARANTINED: "cannot be read: a person must look",
    disposition.AMBIGUOUS: "could mean two things: a person must decide",
    verdict.DUPLICATE_ID: "the very same event again",
    verdict.DUPLICATE_FACT: "another event announces the same fact",
    verdict.NATIVE_PREFERRED: "the live producer announced it itself",
    verdict.AFTER_CUT: "after the cut: the live topic carries it",
    verdict.HELD: "what must come first is missing: a person must look",
    verdict.NOT_AUTHORITATIVE: "another system is the authority for it",
    verdict.SUBJECT_TOO_LONG: "its subject is too long to be a key: a person must look",
    verdict.TOO_LATE: "a correction of a time too long ago: a person must look",
    verdict.IN_OVERLAP: "both sides may have it: a person must look",
    verdict.SUPERSEDED: "a higher version of its translator tells it",
    verdict.UNDECIDED: "equally good sources contradict each other: a person must decide",
    verdict.NATIVE_COLLISION: "a live event came at about the same time",
}
_A_PERSON_MUST_LOOK = {disposition.QUARANTINED, disposition.AMBIGUOUS, *verdict.EXCEPTIONAL}


@dataclass(frozen=True)
class Line:
    """One line. `start` and `width` are percent of the panel's largest total, 0 to 100."""

    sign: str
    """Empty, + (added), − (leaving) or = (remaining)."""
    label: str
    note: str
    count: int
    tone: str
    """total, kept, added, out, look (a person must look) or wrong (does not balance)."""
    start: float
    width: float


@dataclass(frozen=True)
class Panel:
    """The balance of one unit: rows, events or subjects."""

    title: str
    lines: tuple[Line, ...]
    unexplained: int | None
    """The open rest of the balance; None for a panel without a balance."""


def waterfall(books: RunBooks) -> tuple[Panel, ...]:
    """Panels of source rows by disposition, candidate events by verdict, subjects, and
    transactions.

    The panel of transactions is left out where there is nothing to show.
    """
    transactions = _transactions(books)
    more = (transactions,) if transactions.lines else ()
    return (_rows(books), _events(books), _subjects(books), *more)


def _rows(books: RunBooks) -> Panel:
    total = books.source_rows
    scale = _Scale(max(total, sum(books.dispositions.values())))
    lines = [scale.line("", "Source rows", "snapshot rows and changes", total, TOTAL, 0)]
    lines += scale.leaving(books.dispositions, kept_end=disposition.TRANSLATED, remaining=total)
    translated = books.dispositions.get(disposition.TRANSLATED, 0)
    lines.append(scale.line("=", "Translated rows", "", translated, KEPT, 0))
    return Panel("Source rows", tuple(lines), books.unexplained_rows)


def _events(books: RunBooks) -> Panel:
    total = books.synthetic + books.native
    scale = _Scale(max(total, sum(books.verdicts.values()), books.timeline))
    lines = [
        scale.line("", "Synthetic events", "from source rows", books.synthetic, ADDED, 0),
        scale.line(
            "+", "Native events", "from the live producers", books.native, ADDED, books.synthetic
        ),
        scale.line("=", "Candidate events", "", total, TOTAL, 0),
    ]
    lines += scale.leaving(books.verdicts, kept_end=verdict.ACCEPTED, remaining=total)
    lines.append(scale.line("=", "Timeline", "accepted, in causal order", books.timeline, KEPT, 0))
    return Panel(
        "Events", tuple(lines), abs(books.unexplained_events) + abs(books.unexplained_timeline)
    )


def _subjects(books: RunBooks) -> Panel:
    scale = _Scale(max(books.subjects.values(), default=0))
    lines = [scale.line("", words(name), "", n, KEPT, 0) for name, n in _largest(books.subjects)]
    return Panel("State", tuple(lines), None)


def _transactions(books: RunBooks) -> Panel:
    """Changes that nobody could read, and changes without a known transaction."""
    counts = [
        ("Written over", "by a later change of their own transaction", books.written_over),
        ("Facts between them", "held for nobody to read: not announced", books.fell_within),
        *(
            (f"Untold by {source}", "each taken for a commit of its own", changes)
            for source, changes in _largest(books.untold_transactions)
        ),
    ]
    scale = _Scale(max(count for *_, count in counts))
    lines = [scale.line("", label, note, n, OUT, 0) for label, note, n in counts if n]
    return Panel("Changes within transactions", tuple(lines), None)


@dataclass(frozen=True)
class _Scale:
    largest: int

    def line(self, sign: str, label: str, note: str, count: int, tone: str, start: int) -> Line:
        return Line(sign, label, note, count, tone, self._percent(start), self._percent(count))

    def leaving(self, ends: Mapping[str, int], *, kept_end: str, remaining: int) -> Iterable[Line]:
        """A line per end other than `kept_end`, each bar hanging where the one before it ended."""
        for name, count in _largest({n: c for n, c in ends.items() if n != kept_end and c}):
            remaining -= count
            tone = LOOK if name in _A_PERSON_MUST_LOOK else OUT
            yield self.line("−", name, _ENDS.get(name, ""), count, tone, remaining)

    def _percent(self, count: int) -> float:
        share = 100 * count / self.largest if self.largest else 0.0
        return round(min(max(share, 0.0), 100.0), 4)


def _largest(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
