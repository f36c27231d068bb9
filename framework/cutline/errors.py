"""Errors that say what happened, to what, what was left behind and which command comes next.

They are grouped by what the caller does: mend the input (`ConfigurationError`, exit 2) or run
again (`RunFailed`, exit 3). A decision of NO-GO is a result, not an error (exit 1).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from cutline.secrets import as_written

EXIT_GOOD = 0
EXIT_NO_GO = 1
EXIT_USAGE = 2
EXIT_FAILED = 3


class CutlineError(Exception):
    """What happened, in one sentence a person can act on.

    `what` names the file, table, column, key or topic. `left_behind` says what exists now that did
    not before (nothing, unless said). `next_step` is the command or the edit that comes next.
    In each, secrets are shown as cutline.yaml writes them.
    """

    exit_code = EXIT_FAILED

    def __init__(self, what: str, *, left_behind: str = "", next_step: str = "") -> None:
        self.what = as_written(what)
        self.left_behind = as_written(left_behind)
        self.next_step = as_written(next_step)
        parts = (self.what, self.left_behind, self.next_step)
        super().__init__("\n".join(part for part in parts if part))


class ConfigurationError(CutlineError):
    """The user wrote something that cannot be done; nothing was started. Exit code 2."""

    exit_code = EXIT_USAGE


class ArgumentRefused(ConfigurationError):
    """An argument of a call is none that it may be. Exit code 2.

    `argument` is its name in Python; the command line calls it as its option. `says` is what is
    wrong with it, `example` a value that could be, and `optional` whether it may be left out.
    """

    def __init__(self, argument: str, says: str, *, example: str, optional: bool = False) -> None:
        self.argument = argument
        super().__init__(
            f"{argument}: {says}",
            next_step=f"Write {argument}={example}{', or leave it out.' if optional else '.'}",
        )


class RunFailed(CutlineError):
    """A run stopped half-way and can be run again with the same command. Exit code 3."""


class SliceBusy(RunFailed):
    """Another process holds the lease of the slice. Exit code 3: run again when it has ended."""


class ConservationError(RunFailed):
    """The books of a stage do not balance: a row or an event has no end, or more than one."""


def did_you_mean(word: str, known_words: Iterable[str]) -> str:
    """` Did you mean 'x'?` for the nearest known word, or an empty text."""
    near = nearest(word, known_words)
    return f" Did you mean {near!r}?" if near else ""


def nearest(word: str, known_words: Iterable[str]) -> str | None:
    """The known word that looks most like `word`, or None if none looks much like it."""
    near = difflib.get_close_matches(word, list(known_words), n=1, cutoff=0.6)
    return near[0] if near else None
