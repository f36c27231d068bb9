"""Events to a server: with the key, kept where it does not take them, sent later in order."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

import cutline
from cutline.errors import ConfigurationError, RunFailed
from cutline.lineage.file import EventFile
from cutline.lineage.sending import NotTaken, send
from cutline.project import LoadedProject, load
from cutline.project.lineage import LineageSection
from support.command_line import CommandLine
from support.paths import DOCS
from support.sample_project import document, write


@dataclass
class Catalogue:
    """A server that takes events, or answers with `status`."""

    url: str
    status: int = 201
    received: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@pytest.fixture
def catalogue() -> Iterator[Catalogue]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answers.headers.append(dict(self.headers))
            if answers.status == 201:
                answers.received.append(json.loads(body))
            self.send_response(answers.status)
            if answers.status // 100 == 3:
                self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    answers = Catalogue(f"http://127.0.0.1:{server.server_port}/api/v1/lineage")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield answers
    server.shutdown()
    server.server_close()


def project_of(folder: Path, **lineage: Any) -> LoadedProject:
    write(folder, {**document(), "lineage": lineage})
    return load(folder)


def keep(project: LoadedProject, *numbers: int) -> EventFile:
    file = EventFile(project.folder / "lineage-unsent.jsonl")
    for number in numbers:
        file.append({"number": number})
    return file


def test_the_key_goes_with_each_event(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CATALOGUE_KEY", "geheim-1234")
    project = project_of(tmp_path, url=catalogue.url, api_key="${CATALOGUE_KEY}")
    assert project.file.lineage is not None
    send(project.file.lineage, '{"number":1}')
    assert catalogue.received == [{"number": 1}]
    assert catalogue.headers[0]["Authorization"] == "Bearer geheim-1234"
    assert catalogue.headers[0]["Content-Type"] == "application/json"
    assert "geheim" not in repr(project)


@pytest.mark.parametrize("status", [302, 400, 401, 503])
def test_what_is_not_taken_is_said_with_its_status(catalogue: Catalogue, status: int) -> None:
    catalogue.status = status
    with pytest.raises(NotTaken, match=f"HTTP {status}"):
        send(LineageSection(url=catalogue.url), "{}")
    # A redirect is not followed: it could lead the key elsewhere.
    assert len(catalogue.headers) == 1


def test_a_server_that_is_gone_is_not_waited_for_long() -> None:
    with pytest.raises(NotTaken, match="ConnectionRefusedError"):
        send(LineageSection(url="http://127.0.0.1:1/api", seconds=1), "{}")


def test_what_was_kept_is_sent_in_order_by_the_command_of_the_page(
    catalogue: Catalogue, tmp_path: Path, command_line: CommandLine
) -> None:
    page = (DOCS / "lineage.md").read_text(encoding="utf-8")
    commands = re.findall(r"^cutline (lineage .*)$", page, re.MULTILINE)
    file = keep(project_of(tmp_path, url=catalogue.url), 1, 2, 3)
    for line in commands:
        assert command_line(*line.split(), "--project", tmp_path).returncode == 0
    assert [event["number"] for event in catalogue.received] == [1, 2, 3]
    assert not file.path.exists()
    assert cutline.Project.open(tmp_path).send_lineage() == cutline.SentLineage(0, file.path)


def test_sending_stops_where_the_server_stops(catalogue: Catalogue, tmp_path: Path) -> None:
    file = keep(project_of(tmp_path, url=catalogue.url), 1, 2)
    catalogue.status = 503
    with pytest.raises(RunFailed, match=r"did not take event 1 of .*unsent\.jsonl: HTTP 503"):
        cutline.Project.open(tmp_path).send_lineage()
    assert [json.loads(line)["number"] for line in file.lines()] == [1, 2]
    catalogue.status = 201
    assert cutline.Project.open(tmp_path).send_lineage().sent == 2


def test_without_a_server_there_is_nobody_to_send_to(
    tmp_path: Path, command_line: CommandLine
) -> None:
    write(tmp_path, document())
    done = command_line("lineage", "send", "--project", tmp_path)
    assert done.returncode == 2
    assert "lineage.url is missing" in done.stderr


@pytest.mark.parametrize(
    ("lineage", "says"),
    [
        ({}, "lineage needs a file or a url"),
        ({"file": "l.jsonl", "api_key": "${HOME}"}, "api_key is for a url"),
        ({"url": "https://ada:geheim@host/api"}, "holds a password as plain text"),
        ({"url": "https://host/api", "api_key": "geheim-1234"}, "holds a password as plain text"),
        ({"url": "ftp://host/api"}, "lineage.url"),
    ],
)
def test_what_is_written_wrong(tmp_path: Path, lineage: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        project_of(tmp_path, **lineage)


def test_the_sections_of_the_page_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARQUEZ_API_KEY", "geheim-1234")
    page = (DOCS / "lineage.md").read_text(encoding="utf-8")
    digests = {load(write(tmp_path, document())).digest}
    sections = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(sections) == 2
    for section in sections:
        digests.add(project_of(tmp_path, **yaml.safe_load(section)["lineage"]).digest)
    # Whether anybody is told of it makes no other run.
    assert len(digests) == 1
