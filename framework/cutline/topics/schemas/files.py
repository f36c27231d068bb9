"""Schemas as files of a folder: `<subject>.json`, of each subject the newest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from cutline.errors import RunFailed
from cutline.lake.file_system import file_system
from cutline.lake.keep import write_files
from cutline.topics.schemas.failures import unreadable
from cutline.topics.schemas.subjects import PayloadSchema


@dataclass(frozen=True)
class SchemaFiles:
    """A folder of this machine, or a URL that pyarrow can read."""

    folder: str

    def where(self, subject: str) -> str:
        """The path of the subject's file."""
        return f"{self.folder}/{_file(subject)}"

    def newest(self, subject: str) -> dict[str, Any] | None:
        """What the subject's file holds; null if there is none."""
        from pyarrow.fs import FileType

        place = self.where(subject)
        try:
            system, path = file_system(place)
            if system.get_file_info(path).type == FileType.NotFound:
                return None
            with system.open_input_stream(path) as file:
                content = file.read()
        except (OSError, ValueError) as error:
            raise RunFailed(
                f"the payload schema {place} cannot be reached: {error}",
                left_behind="Nothing was sent.",
                next_step="Mend the permissions, then run the same command again.",
            ) from error
        try:
            document = json.loads(content)
        except ValueError as error:
            raise unreadable(subject, place, f"it is no JSON: {error}") from error
        if not isinstance(document, dict):
            raise unreadable(subject, place, "it is no JSON object")
        return document

    def refuse(self, schema: PayloadSchema) -> None:
        """A folder takes whatever is brought."""

    def add(self, schema: PayloadSchema) -> None:
        """Write the subject's file, in place of the one before."""
        text = json.dumps(schema.document, ensure_ascii=False, indent=2) + "\n"
        write_files(self.folder, {_file(schema.subject): text}, "the payload schemas")


def _file(subject: str) -> str:
    return f"{quote(subject, safe='')}.json"
