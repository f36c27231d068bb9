"""Events to a server, as OpenLineage's HTTP transport sends them, and those that were kept."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cutline.errors import ConfigurationError, RunFailed
from cutline.lineage.facets import Json
from cutline.lineage.file import EventFile
from cutline.project.lineage import LineageSection
from cutline.project.loaded import LoadedProject
from cutline.secrets import document_as_written
from cutline.version import __version__


class NotTaken(Exception):
    """The server did not take an event; the text says why, without the event."""


@dataclass(frozen=True)
class SentLineage:
    """How many events were sent, from which file."""

    sent: int
    file: Path

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline lineage send --json`."""
        return {"sent": self.sent, "file": str(self.file)}


def send(section: LineageSection, body: str) -> None:
    """Send one event; NotTaken where it did not arrive or was refused."""
    assert section.url is not None
    parts = urlsplit(section.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    headers = {"Content-Type": "application/json", "User-Agent": f"cutline/{__version__}"}
    if section.api_key is not None:
        headers["Authorization"] = f"Bearer {section.api_key.get_secret_value()}"
    connection = kind(parts.netloc, timeout=section.seconds)
    try:
        # Nothing is followed: another place would get the key.
        connection.request("POST", parts.path or "/", body.encode("utf-8"), headers)
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException) as error:
        raise NotTaken(type(error).__name__) from error
    finally:
        connection.close()
    if answer.status // 100 != 2:
        raise NotTaken(f"HTTP {answer.status}")


def unsent_file(project: LoadedProject, section: LineageSection) -> EventFile:
    """The file of the events that the server did not take."""
    return EventFile(Path(project.path(section.unsent)))


def as_body(event: Json) -> str:
    """An event as it is sent."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


def send_unsent(project: LoadedProject) -> SentLineage:
    """Send what was kept, oldest first; RunFailed at the first event that the server does not take.

    ConfigurationError where cutline.yaml names no server.
    """
    section = project.file.lineage
    if section is None or section.url is None:
        raise ConfigurationError(
            f"{project.config}: lineage.url is missing: there is no server to send events to.",
            left_behind="Nothing was sent.",
            next_step="Say where it takes events: lineage: {url: https://HOST/api/v1/lineage}",
        )
    unsent = unsent_file(project, section)
    with unsent.emptying() as alone:
        if not alone:
            raise RunFailed(
                f"another process sends the events of {unsent.path}",
                left_behind="This one sent nothing.",
                next_step="Wait until it has ended, then see whether something is left.",
            )
        return SentLineage(_send_all(section, unsent), unsent.path)


def _send_all(section: LineageSection, unsent: EventFile) -> int:
    """How many events were sent; each of them is gone from the file, whatever stops the sending."""
    sent = 0
    try:
        for line in unsent.lines():
            send(section, line)
            sent += 1
    except NotTaken as reason:
        raise RunFailed(
            f"{section.url} did not take event {sent + 1} of {unsent.path}: {reason}",
            left_behind=f"{sent} events were sent; that one and what follows are kept there.",
            next_step="Send them later by the same command. An event that the server refuses "
            "for good (HTTP 400, 422) is the first line of the file: remove it.",
        ) from None
    finally:
        if sent:
            unsent.remove_first(sent)
    return sent
