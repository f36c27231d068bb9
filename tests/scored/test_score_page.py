"""The published figures are those that the runs give."""

from __future__ import annotations

from scored.data import needs_events
from scored.fines.spoiled import Spoiled
from scored.judged import Judged
from scored.page import PAGE, filled, tables
from scored.scored import Scored


@needs_events
def test_the_page_says_what_was_measured(
    fines: Scored, claims: Scored, spoiled_fines: tuple[Spoiled, Judged]
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, tables(fines, claims, spoiled_fines)) == page


def test_a_stale_table_is_written_again_and_nothing_else_is_touched() -> None:
    stale = "Before.\n<!-- cuts -->\n| old |\n<!-- end -->\nAfter.\n"
    assert filled(stale, {"cuts": "| new |"}) == stale.replace("old", "new")
