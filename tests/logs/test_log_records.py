"""Records under `cutline.*`: quiet until somebody listens, without secrets, as JSON on request."""

from __future__ import annotations

import ast
import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cutline
from cutline.logs import ROOT, JsonLines, fields, logger
from cutline.secrets import keep_secret

pytestmark = pytest.mark.process

LOG = logger("cutline.for_tests")
SOURCES = Path(cutline.__file__).parent


class Lines(logging.Handler):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The lines that a handler on the logger `cutline` writes."""
    handler, root = Lines(), logging.getLogger(ROOT)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler.lines
    root.removeHandler(handler)
    root.setLevel(logging.NOTSET)


def test_nothing_is_shown_until_somebody_listens() -> None:
    script = "from cutline.logs import logger; logger('cutline.x').error('lost')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_record_is_one_json_object_with_its_fields(lines: list[str]) -> None:
    LOG.info("stage done", extra={"stage": "merge", "rows_in": 3, "seconds": 0.5})
    (line,) = lines
    document = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", document.pop("time"))
    assert isinstance(document.pop("process"), int)
    assert document == {
        "level": "info",
        "logger": "cutline.for_tests",
        "message": "stage done",
        "stage": "merge",
        "rows_in": 3,
        "seconds": 0.5,
    }


def test_a_line_stays_one_line_and_steers_no_terminal(lines: list[str]) -> None:
    LOG.info("read", extra={"place": "a\nb\x1b[31m\u202e"})
    (line,) = lines
    assert line.isprintable()
    assert json.loads(line)["place"] == "a\nb\x1b[31m\u202e"


def test_secrets_are_shown_as_the_file_writes_them_wherever_they_stand(lines: list[str]) -> None:
    keep_secret("hunter2hunter2", "${PW}")
    LOG.info("at %s", "s3a://key:hunter2hunter2@bucket")
    LOG.info("read", extra={"place": "hunter2hunter2", "inner": {"all": ["x hunter2hunter2"]}})
    try:
        raise ValueError("hunter2hunter2")
    except ValueError:
        LOG.exception("failed")
    assert "hunter2" not in "\n".join(lines)
    first, second, third = map(json.loads, lines)
    assert first["message"] == "at s3a://key:${PW}@bucket"
    assert (second["place"], second["inner"]) == ("${PW}", {"all": ["x ${PW}"]})
    assert third["exception"].endswith("ValueError: ${PW}")


def test_another_handler_is_given_no_secret_either(caplog: pytest.LogCaptureFixture) -> None:
    keep_secret("hunter2hunter2", "${PW}")
    with caplog.at_level(logging.INFO, ROOT):
        LOG.info("at %s", "hunter2hunter2", extra={"place": "hunter2hunter2"})
    (record,) = caplog.records
    assert (record.getMessage(), fields(record)) == ("at ${PW}", {"place": "${PW}"})


def test_every_logger_of_cutline_is_made_by_this_function() -> None:
    """Others would have no filter. The package for services stands alone, and knows no secrets of a
    project to filter: it has a logger by its name."""
    others = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if "consumer" not in path.parts
        and re.search(r"getLogger\((__name__|[\"']cutline)", path.read_text(encoding="utf-8"))
    }
    assert others == set()


def extra_keys(tree: ast.AST) -> Iterator[str]:
    """The texts that are keys of what is given to a logger as `extra`, also by a variable."""
    extras = [
        keyword.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "extra"
    ]
    names = {n.id for extra in extras for n in ast.walk(extra) if isinstance(n, ast.Name)}
    assigned = [
        assignment.value
        for assignment in ast.walk(tree)
        if isinstance(assignment, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id in names for t in assignment.targets)
    ]
    for value in (*extras, *assigned):
        for literal in ast.walk(value):
            if isinstance(literal, ast.Dict):
                yield from (k.value for k in literal.keys if isinstance(k, ast.Constant))


def test_no_field_is_called_as_one_that_every_record_has() -> None:
    """The logger refuses it, but only once somebody listens."""
    standard = {*vars(logging.makeLogRecord({})), "message", "asctime"}
    clashes = {
        f"{path.relative_to(SOURCES)}: {key}"
        for path in SOURCES.rglob("*.py")
        for key in extra_keys(ast.parse(path.read_text(encoding="utf-8")))
        if key in standard
    }
    assert clashes == set()
