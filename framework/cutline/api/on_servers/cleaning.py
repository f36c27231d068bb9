"""What a live demo made on its servers, removed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cutline.api.demonstration import MARKER
from cutline.api.on_servers.connect import Connect
from cutline.api.on_servers.database import DemoDatabase
from cutline.api.on_servers.setting import FILE, Setting
from cutline.api.on_servers.topics import DemoTopics
from cutline.errors import ConfigurationError


@dataclass(frozen=True)
class LiveDemoCleaned:
    """What was removed from the servers, in words; nothing where nothing was there any more."""

    folder: Path
    removed: tuple[str, ...]


def clean_live_demo(folder: str | Path) -> LiveDemoCleaned:
    """Remove what the live demo in a folder made: connector, slot, publication, database, topics.

    The folder stays, with its reports; it is no demo any more. Also after a kill. The same call
    goes on where one was interrupted. ConfigurationError where the folder has no live demo, or a
    server does not answer.
    """
    folder = Path(folder)
    setting = Setting.of(folder)
    if setting is None:
        raise ConfigurationError(
            f"Folder {folder} holds no live demo: it has no {FILE}.",
            next_step="Name the folder of the demo with --dir DIR.",
        )
    database, topics = DemoDatabase(setting, folder), DemoTopics(setting.kafka, setting.name)
    worker = Connect(setting.connect)
    database.check()
    topics.check(empty=False)
    worker.check()
    removed = []
    # Who writes goes first, so that nothing comes back.
    if worker.remove(setting.name):
        removed.append(f"connector {setting.name}")
    removed += database.remove()
    removed += [f"topic {topic}" for topic in topics.remove()]
    (folder / MARKER).unlink(missing_ok=True)
    (folder / FILE).unlink()
    return LiveDemoCleaned(folder, tuple(removed))
