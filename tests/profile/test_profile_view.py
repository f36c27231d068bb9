"""A profile as people read it: values that nobody would see are made visible."""

from __future__ import annotations

import io

from cutline.cli.commands.profile.view import show_profile
from cutline.cli.output import Output
from cutline.profile import ColumnProfile, Statuses, StatusValue, TableProfile
from cutline.profile.figures import Figures
from cutline.profile.hints import hints

VALUES = ("", " ", "A ", "A", "x" * 100, None)


def test_blanks_at_the_ends_of_a_status_are_seen_and_long_ones_are_cut() -> None:
    column = ColumnProfile("st\x1b", "string", "string", 1, 1, 0, 5, True)
    statuses = Statuses("st\x1b", 0.0, tuple(StatusValue(v, 2, ()) for v in VALUES))
    stream = io.StringIO()
    table = TableProfile("erp", "t", "csv", "t.csv", None, 12, 0, (column,), (), (statuses,))
    show_profile(Output(stream), table)
    shown = [line.rsplit(maxsplit=1)[0].rstrip() for line in stream.getvalue().splitlines()[-6:]]
    assert shown == ["''", "' '", "'A '", "A", "x" * 23 + "…", "null"]
    assert "\x1b" not in stream.getvalue()


def test_what_cannot_be_read_was_set_all_the_same() -> None:
    none = dict.fromkeys(Figures.__dataclass_fields__, 0) | {"text_low": None, "text_high": None}
    assert list(hints(Figures(**none | {"nulls": 3}), "string")) == ["never set"]
    assert list(hints(Figures(**none | {"nulls": 2, "unreadable": 1}), "string")) == []
