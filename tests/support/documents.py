"""The `--json` documents of a project, with what differs from machine to machine put aside.

They are held against those that were written before the code was put in order: documents, run ids
and digests are what others script against, and no refactoring may change a byte of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

REWRITE = "CUTLINE_WRITE_DOCUMENTS"
"""Set this to write the golden documents again, after a change that is meant to change them."""

_CLOCKS = {"seconds", "created_at", "recorded_at", "finished_at", "started_at", "held_since"}
_CLOCKS |= {"recordedtime", "migextracttime", "heartbeat_at", "holder"}
# The report's own bytes tell both, and what was built by which version.
_CLOCKS |= {"report_sha256", "cutline_version"}


def documents(project: Path, commands: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What each command prints with `--json`, by the command, in this process."""
    answers: dict[str, Any] = {}
    for command in commands:
        of_project = [] if command == ("translators",) else ["--project", str(project)]
        _, answers[" ".join(command)] = document(*command, *of_project)
    return answers


def document(*command: str) -> tuple[int, Any]:
    """The exit code of a command, 0 or 1, and what it prints with `--json`, in this process."""
    from cutline.cli.app import app

    with tempfile.TemporaryFile() as printed, _standard_output(printed.fileno()):
        ended = CliRunner().invoke(app, [*command, "--json"])
        printed.seek(0)
        text = printed.read().decode()
    assert ended.exit_code in (0, 1), (command, ended.output, text)
    return ended.exit_code, json.loads(text)


@contextlib.contextmanager
def _standard_output(descriptor: int) -> Iterator[None]:
    """Standard output of the process, which is where a command writes, goes to the descriptor."""
    saved_descriptor = os.dup(1)
    os.dup2(descriptor, 1)
    try:
        yield
    finally:
        os.dup2(saved_descriptor, 1)
        os.close(saved_descriptor)


def hold_to(
    golden: Path,
    printed: object,
    project: Path,
    data: Path | None = None,
    run_in: Path | None = None,
) -> None:
    """Fails where the document is not the golden one, byte for byte, but for clocks and names.

    Names are those of the folders (the project's, where it was run if it was copied since, and that
    of the data if its sources lie elsewhere) and of the installed distribution, which has the product's version.
    """
    names = {str(project.resolve()): "(project)", str(project): "(project)"}
    names[f"cutline {version('cutline')}"] = "cutline (version)"
    if run_in is not None:
        names |= {str(run_in): "(project)"}
    if data is not None:
        names |= {str(data.resolve()): "(data)", str(data): "(data)"}
    text = json.dumps(_steady(printed, names), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get(REWRITE):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def _steady(value: Any, names: Mapping[str, str]) -> Any:
    """The value without clocks, and with what has a name by that name; business times stay."""
    if isinstance(value, dict):
        return {
            key: "(clock)" if key in _CLOCKS and entry is not None else _steady(entry, names)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [_steady(entry, names) for entry in value]
    if isinstance(value, str):
        for written, name in names.items():
            value = value.replace(written, name)
    return value
