"""A schema registry that answers Confluent's API: Apicurio, which keeps its schemas in memory."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.ports import free_port
from support.servers.folder import ServerFolder
from support.servers.java import SMALL, java
from support.servers.maven import jars
from support.servers.process import ServerProcess


@dataclass
class SchemaRegistry:
    """A running registry; it forgets everything when its process ends."""

    folder: ServerFolder
    port: int
    process: ServerProcess

    @property
    def url(self) -> str:
        """What Confluent's client is given."""
        return f"http://127.0.0.1:{self.port}/apis/ccompat/v7"

    @property
    def api(self) -> str:
        """What Apicurio's own converter is given."""
        return f"http://127.0.0.1:{self.port}/apis/registry/v2"

    def register(self, subject: str, schema: object, kind: str = "AVRO") -> int:
        """Registers a schema, JSON as Python has it; its id."""
        body = {"schema": json.dumps(schema), "schemaType": kind}
        number: int = self._ask(f"/subjects/{subject}/versions", body)["id"]
        return number

    def schema(self, number: int) -> Any:
        """The schema of that id, JSON as Python has it; HTTPError if it is not known."""
        return json.loads(self._ask(f"/schemas/ids/{number}")["schema"])

    def newest(self, subject: str) -> Any:
        """The newest schema of a subject; HTTPError if it has none."""
        return json.loads(self._ask(f"/subjects/{subject}/versions/latest")["schema"])

    def _ask(self, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
        request = urllib.request.Request(f"{self.url}{path}", data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


def start_registry(*, memory: str = "384m") -> SchemaRegistry:
    """A registry that answers."""
    program, application = java(), jars("registry")
    (runner,) = application.glob("*-runner.jar")
    folder, port = ServerFolder("registry"), free_port()
    address = ["-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={port}"]
    command: list[str | Path] = [program, *SMALL, f"-Xmx{memory}", *address, "-jar", runner]
    registry = SchemaRegistry(folder, port, ServerProcess(folder, command, _Answers(port)))
    try:
        registry.process.start()
    except BaseException:
        folder.close()
        raise
    return registry


@dataclass
class _Answers:
    """Raises while the registry on that port does not list its subjects."""

    port: int

    def __call__(self) -> None:
        url = f"http://127.0.0.1:{self.port}/apis/ccompat/v7/subjects"
        with urllib.request.urlopen(url, timeout=5) as answer:
            answer.read()
