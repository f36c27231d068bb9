"""The published figures are those that the runs give."""

from __future__ import annotations

from support.scored.page import PAGE, filled, named


def test_every_table_is_of_a_log_that_is_scored() -> None:
    """What each log's tables say is judged where the log is scored."""
    page = PAGE.read_text(encoding="utf-8")
    assert named(page) == sorted([*named(page, "fines"), *named(page, "claims")]) != []


def test_a_stale_table_is_written_again_and_nothing_else_is_touched() -> None:
    stale = "Before.\n<!-- cuts -->\n| old |\n<!-- end -->\nAfter.\n"
    assert filled(stale, {"cuts": "| new |"}) == stale.replace("old", "new")
