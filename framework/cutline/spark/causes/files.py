"""A file that is gone, damaged, of another format, or not to be read."""

from __future__ import annotations

import re
from urllib.parse import unquote

from cutline.spark.causes.cause import SparkCause
from cutline.spark.causes.setup import SparkSetup

_PLACE = r"(?:file:)?(?://)?((?:/|[a-z][a-z0-9]*://)[^\n]*?)"
_MISSING = (
    re.compile(rf"FILE_NOT_EXIST\] Encountered error while reading file {_PLACE}\. "),
    re.compile(rf"Path does not exist: {_PLACE}(?:\. SQLSTATE|\n|$)"),
    re.compile(rf"File {_PLACE} does not exist"),
    re.compile(rf"FileNotFoundException: {_PLACE} \(No such file"),
)
_DENIED = (
    re.compile(rf"(?:FileNotFoundException|AccessControlException): {_PLACE} \(Permission denied"),
    re.compile(rf"Permission denied:[^\n]*inode=\"?{_PLACE}\"?[:,]"),
    re.compile(r"\[Errno (?:13|30)\][^\n]*?: '(/[^']*)'"),
    re.compile(rf"Mkdirs failed to create {_PLACE}(?: \(|\n|$)"),
)
_UNREADABLE = (
    re.compile(rf"FAILED_READ_FILE\.\w+\] Encountered error while reading file {_PLACE}\.(?:\s|$)"),
    re.compile(rf"(?:^|: ){_PLACE} is not a Parquet file", re.M),
    re.compile(rf"Could not read footer(?: for file)?: (?:\S*FileStatus\{{path=)?{_PLACE}[;,}}\n]"),
)
_NO_PARQUET = re.compile(r"is not a Parquet file|Could not read footer|CANNOT_READ_FILE_FOOTER")
_CUT_OFF = re.compile(r"EOFException|length is too low|Reached the end of stream")
_DAMAGED = re.compile(r"ChecksumException|ParquetDecodingException|corrupt|Decompress", re.I)


def file_cause(text: str, setup: SparkSetup) -> SparkCause | None:
    """What is wrong with a file, and its path."""
    if path := _first(_MISSING, text):
        return SparkCause(
            f"file {path} is there no more{_of_lake(path, setup)}",
            _mend(path, setup, "Put it back as it was, and let nothing move it while a run reads."),
        )
    if path := _first(_DENIED, text):
        return SparkCause(
            f"{path} may not be read or written by this user",
            "Mend the permissions, or the path in cutline.yaml.",
        )
    if path := _first(_UNREADABLE, text):
        return SparkCause(
            f"file {path} {_fault(text)}{_of_lake(path, setup)}",
            _mend(path, setup, "Copy it again as a whole, and compare its size."),
        )
    return None


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> str | None:
    matches = (pattern.search(text) for pattern in patterns)
    return next((unquote(match[1]) for match in matches if match), None)


def _fault(text: str) -> str:
    if _CUT_OFF.search(text):
        return "ends too early: it was copied in part, or is still being written"
    if _NO_PARQUET.search(text):
        return "is no whole Parquet file: it was copied in part, or is of another format"
    if _DAMAGED.search(text):
        return "is damaged: its bytes are not those that were written"
    return f"cannot be read: {_innermost(text)}"


def _innermost(text: str) -> str:
    """The message of the last exception of the chain."""
    lines = [line for line in text.splitlines() if line and not line[0].isspace()]
    return lines[-1].partition(": ")[2][:200] or lines[-1][:200]


def _of_lake(path: str, setup: SparkSetup) -> str:
    return ", which a stage of this run wrote" if _is_of_lake(path, setup) else ""


def _mend(path: str, setup: SparkSetup, of_input: str) -> str:
    if not _is_of_lake(path, setup):
        return of_input
    table = path.removeprefix(setup.lake.rstrip("/") + "/").partition("/")[0]
    return (
        "Find out what changes files there. To have the table made again, remove the folder "
        f"{setup.lake.rstrip('/')}/{table}."
    )


def _is_of_lake(path: str, setup: SparkSetup) -> bool:
    return bool(setup.lake) and path.startswith(setup.lake.rstrip("/") + "/")
