"""Progress lines: what they say, and that a live line ends with the command."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from cutline.cli.output import Output
from cutline.results import ExtractResult, StageResult
from cutline.run.progress import StageDone
from cutline.wording import printable
from support.cli_process import SCRIPT
from support.sample_project import document, write


@pytest.mark.parametrize(
    ("result", "seconds", "skipped", "says"),
    [
        (
            StageResult(rows_in=12000, rows_out=31000),
            3.1,
            False,
            "12,000 rows in, 31,000 out, 3.1 s, 3,871 rows/s",
        ),
        (StageResult(rows_in=0, rows_out=50), 0.5, False, "0 rows in, 50 out, 0.5 s, 100 rows/s"),
        (StageResult(rows_in=1, rows_out=1), 0.0, False, "1 rows in, 1 out, 0.0 s"),
        (StageResult(rows_in=7, rows_out=8), 3.1, True, "7 rows in, 8 out, complete from before"),
        (
            ExtractResult(rows_in=7, rows_out=8, taken_from="shop-eu-1"),
            0.4,
            False,
            "7 rows in, 8 out, taken over from run shop-eu-1",
        ),
    ],
)
def test_what_a_stage_did(result: StageResult, seconds: float, skipped: bool, says: str) -> None:
    done = StageDone.of("extract", result, seconds, complete_before=skipped)
    assert done.summary == says


@pytest.mark.process
def test_on_a_terminal_each_stage_keeps_its_line(tmp_path: Path) -> None:
    """stderr is a terminal, stdout is not: the document stays clean."""
    write(tmp_path, document())
    ours, theirs = pty.openpty()
    command = [sys.executable, str(SCRIPT), "run", "fulfilment", "--region", "eu-west", "--json"]
    process = subprocess.Popen(
        [*command, "--project", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "FAKE_RUN": "go", "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    terminal_output = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        terminal_output += part
    out, _ = process.communicate()
    assert process.returncode == 0
    assert out.startswith(b"{\n")
    assert out.endswith(b"}\n")
    text = terminal_output.decode()
    assert "translate  120 rows in, 200 out, 0.5 s, 240 rows/s" in text
    assert text.endswith("\x1b[?25h") or text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")


@pytest.mark.process
def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path: Path) -> None:
    write(tmp_path, document())
    line = f"{sys.executable} {SCRIPT} run fulfilment --region eu-west --json --project {tmp_path}"
    done = subprocess.run(
        ["bash", "-c", f"{line} | true; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        env={**os.environ, "FAKE_RUN": "no-go"},
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_table_is_ruled_on_a_terminal_only() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    plain, ruled = io.StringIO(), Terminal()
    for stream in (plain, ruled):
        Output(stream).table(("a", "long name"), [("[bold]x", None), (12, "y")])
    assert plain.getvalue() == "a        long name\n[bold]x  null\n12       y\n"
    assert "[bold]x" in ruled.getvalue()
    assert "┃" in ruled.getvalue()


def test_text_keeps_to_its_line() -> None:
    assert printable("a\nb\t\x1b[1m\u202e") == "a\\nb\\t\\x1b[1m\\u202e"
    assert printable("Köln 東京") == "Köln 東京"
