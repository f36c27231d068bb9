"""Standard output: the result of a command, and nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from cutline.secrets import as_written_in
from cutline.wording import printable, printable_lines


@dataclass(frozen=True)
class Output:
    """Where a command writes its result."""

    stream: TextIO

    def line(self, text: str = "") -> None:
        """Text, in one line or several; what a plugin or a row put into it is made printable."""
        self._write(printable_lines(text) + "\n")

    def document(self, value: Any) -> None:
        """One JSON document, in which nothing can steer a terminal."""
        plain = json.loads(json.dumps(value, default=str))
        text = json.dumps(as_written_in(plain), ensure_ascii=False, indent=2)
        self._write("\n".join(map(_escaped, text.split("\n"))) + "\n")

    def table(self, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Rows under their names: ruled on a terminal, else aligned columns. Null is `null`."""
        names = [printable(name) for name in names]
        cells = [[printable(value) for value in row] for row in rows]
        if self.stream.isatty():
            self._ruled(names, cells)
        else:
            self._aligned(names, cells)

    def _aligned(self, names: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
        every = [list(names), *cells]
        widths = [max(len(row[i]) for row in every) for i in range(len(names))]
        for row in every:
            padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.line("  ".join(padded).rstrip())

    def _ruled(self, names: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for name in names:
            table.add_column(Text(name), overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        with contextlib.suppress(BrokenPipeError):
            Console(file=self.stream).print(table)

    def _write(self, text: str) -> None:
        # A reader that has seen enough, such as `head`, is no failure.
        with contextlib.suppress(BrokenPipeError):
            self.stream.write(text)
            self.stream.flush()


@contextlib.contextmanager
def result() -> Iterator[Output]:
    """Standard output for the result; meanwhile all else that is printed there goes to stderr.

    That holds for plugins and for Spark's own process as well.
    """
    sys.stdout.flush()
    real = os.dup(1)
    os.dup2(2, 1)
    try:
        stream = open(real, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        yield Output(stream)
        with contextlib.suppress(BrokenPipeError):
            stream.close()
    finally:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        os.dup2(real, 1)
        os.close(real)


def _escaped(line: str) -> str:
    """A line of JSON with what is not printable as JSON writes it in ASCII; it stands in texts."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)
