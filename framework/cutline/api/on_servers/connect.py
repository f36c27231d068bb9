"""Kafka Connect, asked by its REST interface for one connector."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from cutline.api.on_servers.setting import START
from cutline.errors import ConfigurationError, RunFailed

DEBEZIUM = "io.debezium.connector.postgresql.PostgresConnector"
"""The class of Debezium's connector for PostgreSQL."""
_SECONDS = 10
_STARTED_WITHIN = 60
_LOOK = 0.2
_NOT_THERE, _BUSY = 404, 409


@dataclass(frozen=True)
class Connect:
    """A worker at a URL. Each method raises RunFailed where it refuses or answers no more."""

    url: str

    def check(self) -> None:
        """ConfigurationError unless it answers, and has Debezium's connector for PostgreSQL."""
        try:
            status, plugins = self._ask("GET", "/connector-plugins")
        except (OSError, http.client.HTTPException) as error:
            raise ConfigurationError(
                f"Kafka Connect at {self.url} does not answer: {_why(error)}", next_step=START
            ) from None
        classes = {plugin.get("class") for plugin in plugins} if isinstance(plugins, list) else None
        if status != http.HTTPStatus.OK or classes is None:
            raise ConfigurationError(
                f"{self.url} does not answer as Kafka Connect does: HTTP {status}", next_step=START
            )
        if DEBEZIUM not in classes:
            raise ConfigurationError(
                f"Kafka Connect at {self.url} has no {DEBEZIUM}.",
                next_step="Install Debezium's connector for PostgreSQL there. " + START,
            )

    def configure(self, name: str, config: Mapping[str, str]) -> None:
        """Create the connector, or give it this configuration, and wait until its task runs."""
        self._done("PUT", f"/connectors/{name}/config", config)
        until = time.monotonic() + _STARTED_WITHIN
        while True:
            _, document = self._answered("GET", f"/connectors/{name}/status")
            parts = [document.get("connector", {}), *document.get("tasks", [])]
            states = {part.get("state") for part in parts}
            if len(parts) > 1 and states == {"RUNNING"}:
                return
            if "FAILED" in states or time.monotonic() > until:
                trace = next((str(part["trace"]) for part in parts if part.get("trace")), "")
                why = trace.splitlines()[0] if trace else f"it is {', '.join(map(str, states))}"
                raise RunFailed(
                    f"connector {name} of Kafka Connect at {self.url} does not run: {why}",
                    left_behind="The connector, with what was made before it.",
                    next_step="Look at Connect's log, then run the same command again, or with "
                    "--clean.",
                )
            time.sleep(_LOOK)

    def remove(self, name: str) -> bool:
        """Remove the connector with what it remembers; whether there was one."""
        status, _ = self._answered("GET", f"/connectors/{name}")
        if status == _NOT_THERE:
            return False
        # Only of a stopped one the worker forgets how far it came. One that cannot, keeps it under
        # the name, and a slot that is made anew does not go back behind that.
        self._answered("PUT", f"/connectors/{name}/stop")
        until = time.monotonic() + _SECONDS
        while self._answered("DELETE", f"/connectors/{name}/offsets")[0] in (400, _BUSY, 500):
            if time.monotonic() > until:
                break
            time.sleep(_LOOK)
        self._done("DELETE", f"/connectors/{name}")
        return True

    def _done(self, method: str, path: str, body: object = None) -> None:
        until = time.monotonic() + _STARTED_WITHIN
        while True:
            status, answer = self._answered(method, path, body)
            # While a worker places its connectors it takes no other order.
            if status != _BUSY or time.monotonic() > until:
                break
            time.sleep(_LOOK)
        if status // 100 != 2 and (method, status) != ("DELETE", _NOT_THERE):
            why = answer.get("message", "") if isinstance(answer, dict) else ""
            raise RunFailed(
                f"Kafka Connect at {self.url} refuses {method} {path}: HTTP {status} {why}".strip(),
                left_behind="What was made before is there.",
                next_step="Mend what it says, then run the same command again, or with --clean.",
            )

    def _answered(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        try:
            return self._ask(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise RunFailed(
                f"Kafka Connect at {self.url} does not answer any more: {_why(error)}",
                left_behind="What was made before is there.",
                next_step="See that it runs, then run the same command again.",
            ) from None

    def _ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        parts = urlsplit(self.url)
        secure = parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(parts.netloc, timeout=_SECONDS)
        try:
            text = None if body is None else json.dumps(body)
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            connection.request(method, parts.path + path, text, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        try:
            return answer.status, json.loads(content) if content else {}
        except ValueError:
            return answer.status, {}


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
