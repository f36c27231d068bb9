"""What is put into sentences."""

from __future__ import annotations

import pytest

from cutline.wording import first_line


@pytest.mark.parametrize(
    ("message", "line"),
    [("\n[PARSE_SYNTAX_ERROR] near 'x'.\n\n== SQL ==", "[PARSE_SYNTAX_ERROR] near 'x'."),
     ("one", "one"), (" \n", "ValueError"), ("", "ValueError")],
)  # fmt: skip
def test_the_first_line_of_an_error_says_something(message: str, line: str) -> None:
    assert first_line(ValueError(message)) == line
