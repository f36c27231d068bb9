"""A broker's empty folder of data: formatting one takes a JVM, so that is done once and copied."""

from __future__ import annotations

import base64
import fcntl
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

from support.servers.maven import jars

_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:1
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:2,CONTROLLER://127.0.0.1:1
log.dirs={folder}
"""


def write_formatted(run: Sequence[str | Path], to: Path) -> None:
    """Writes the folder of a new broker, node 1 of a cluster with an id of its own.

    `run` is how Kafka's programs are run.
    """
    shutil.copytree(_formatted(run), to)
    places = {"cluster.id": _new_id(), "directory.id": _new_id()}
    meta = to / "meta.properties"
    lines = [line.partition("=") for line in meta.read_text().splitlines()]
    meta.write_text(
        "".join(f"{name}{equals}{places.get(name, value)}\n" for name, equals, value in lines)
    )


def _formatted(run: Sequence[str | Path]) -> Path:
    cache_folder = jars("kafka").parent
    folder = cache_folder / "formatted"
    with (cache_folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            part = cache_folder / "formatting"
            shutil.rmtree(part, ignore_errors=True)
            properties = cache_folder / "format.properties"
            properties.write_text(_PROPERTIES.format(folder=part))
            tool: list[str | Path] = [
                "kafka.tools.StorageTool",
                "format",
                "-t",
                _new_id(),
                "-c",
                properties,
            ]
            subprocess.run([*run, *tool], cwd=cache_folder, check=True, capture_output=True)
            part.rename(folder)
    return folder


def _new_id() -> str:
    """A Kafka uuid, which does not begin with a dash: programs would take it for an option."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text
