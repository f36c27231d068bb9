"""Kafka Connect, one standalone worker: what it is asked to run, and how that stands."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.ports import free_port
from support.servers.folder import ServerFolder
from support.servers.java import SMALL, java
from support.servers.kafka import KafkaBroker
from support.servers.kafka_settings import LOG_OPTION, LOGGING
from support.servers.maven import jars
from support.servers.process import NotReady, ServerProcess, wait_for

_SECONDS = 60


@dataclass
class ConnectWorker:
    """A running worker with Debezium and an Avro converter; its positions are written twice a second."""

    folder: ServerFolder
    port: int
    process: ServerProcess
    broker: KafkaBroker
    connectors: dict[str, dict[str, str]] = field(default_factory=dict)
    """The configuration of each connector that this handle has created."""

    def create(self, name: str, config: Mapping[str, str]) -> None:
        """Creates a connector and waits until its task runs."""
        self.connectors[name] = dict(config)
        self._ask("POST", "/connectors", {"name": name, "config": self.connectors[name]})
        self.wait_until_running(name)

    def wait_until_running(self, name: str) -> None:
        """Until connector and task run: RuntimeError with the task's trace where it failed."""
        wait_for(
            lambda: self._running(name), _SECONDS, lambda: self._failure(name) or self._ended()
        )

    def status(self, name: str) -> dict[str, Any]:
        """What the worker says of a connector and its tasks."""
        status: dict[str, Any] = self._ask("GET", f"/connectors/{name}/status")
        return status

    def restart(self, name: str) -> None:
        """Restarts a connector with its task, and waits until the task runs again."""
        self._ask("POST", f"/connectors/{name}/restart?includeTasks=true")
        self.wait_until_running(name)

    def delete(self, name: str) -> None:
        """Ends a connector; its position stays with the worker, under its name."""
        self.connectors.pop(name, None)
        self._ask("DELETE", f"/connectors/{name}")

    def start_again(self) -> None:
        """After a kill: a worker on the positions that were written, with the same connectors."""
        self.process.start()
        for name, config in list(self.connectors.items()):
            self.create(name, config)

    def _running(self, name: str) -> None:
        status = self.status(name)
        states = [status["connector"]["state"], *(task["state"] for task in status["tasks"])]
        if len(states) < 2 or set(states) != {"RUNNING"}:
            raise NotReady(f"connector and task of {name}: {states}")

    def _failure(self, name: str) -> str | None:
        try:
            status = self.status(name)
        except OSError:
            return None
        parts = (status["connector"], *status["tasks"])
        return next((part["trace"] for part in parts if part["state"] == "FAILED"), None)

    def _ended(self) -> str | None:
        return None if self.process.alive() else f"Connect has ended\n{self.process.log_end()}"

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                text = answer.read()
        except urllib.error.HTTPError as refused:
            if method == "GET":
                raise
            raise RuntimeError(f"{method} {path}: {refused.read().decode()}") from refused
        return json.loads(text) if text else None


def start_connect(broker: KafkaBroker, *, memory: str = "384m") -> ConnectWorker:
    """A worker that answers, without a connector."""
    program, libraries = java(), jars("kafka")
    plugins = [jars("debezium"), jars("avro")]
    _say_what_it_offers(plugins[1])
    folder, port = ServerFolder("connect"), free_port()
    properties = {
        "bootstrap.servers": broker.bootstrap,
        "listeners": f"http://127.0.0.1:{port}",
        "plugin.path": ",".join(str(plugin.parent) for plugin in plugins),
        # Looking through all classes of all jars takes seconds.
        "plugin.discovery": "service_load",
        "offset.storage.file.filename": f"{folder.path}/offsets",
        "offset.flush.interval.ms": "500",
    }
    for side in ("key", "value"):
        properties[f"{side}.converter"] = "org.apache.kafka.connect.json.JsonConverter"
        properties[f"{side}.converter.schemas.enable"] = "false"
    file = folder.path / "connect.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    (folder.path / "log4j2.properties").write_text(LOGGING)
    command: list[str | Path] = [
        program,
        *SMALL,
        f"-Xmx{memory}",
        "-cp",
        f"{libraries}/*",
        LOG_OPTION,
    ]
    command += ["org.apache.kafka.connect.cli.ConnectStandalone", file]
    process = ServerProcess(folder, command, _Answers(port))
    try:
        process.start()
    except BaseException:
        folder.close()
        raise
    return ConnectWorker(folder, port, process, broker)


def _say_what_it_offers(avro: Path) -> None:
    """Apicurio's converter lacks the file by which Connect knows a plugin without a search."""
    offer = avro / "offer.jar"
    if not offer.is_file():
        part = avro / f"offer-{os.getpid()}"
        with zipfile.ZipFile(part, "w") as jar:
            jar.writestr(
                "META-INF/services/org.apache.kafka.connect.storage.Converter",
                "io.apicurio.registry.utils.converter.AvroConverter\n",
            )
        part.rename(offer)


@dataclass
class _Answers:
    """Raises while the worker on that port does not list its connectors."""

    port: int

    def __call__(self) -> None:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self.port}/connectors", timeout=5
        ) as response:
            response.read()
