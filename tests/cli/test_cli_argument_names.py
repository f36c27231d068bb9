"""What an argument may not be is said of the option that was typed, not of a name in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_line import CommandLine
from support.sample_project import document, write

SLICE = ("fulfilment", "--region", "eu-west")


@pytest.mark.parametrize(
    ("words", "says", "step"),
    [
        (
            ("explain", "O-1", "--limit", "3000000000"),
            "--limit: 3000000000 is more than 1,000,000.",
            "Write --limit 20, or leave it out.",
        ),
        (
            ("exceptions", "list", *SLICE, "--older-than", "-1"),
            "--older-than: -1 is no whole number of at least 1.",
            "Write --older-than 20, or leave it out.",
        ),
        (
            ("exceptions", "list", *SLICE, "--owner", "kim", "--unowned"),
            "--owner and --unowned exclude each other.",
            "Leave one of them out.",
        ),
        (
            ("rehearse", *SLICE, "--share", "0"),
            "--share: 0.0 is no number above 0 and up to 1.",
            "Write --share 0.01, or leave it out.",
        ),
        (
            *(("backfill", "cancel", "1", "--why", " "), "--why: ' ' says nothing."),
            'Write --why "…".',
        ),
        (
            ("snapshot", "take", "fulfilment", "", "--region", "eu-west", "--why", "x"),
            "NAME: '' says nothing.",
            'Write NAME "…".',
        ),
    ],
)
def test_the_option_is_named(
    command_line: CommandLine, tmp_path: Path, words: tuple[str, ...], says: str, step: str
) -> None:
    write(tmp_path, document())
    ended = command_line(*words, "--project", tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines() == [f"error: {says}", f"next: {step}"]
