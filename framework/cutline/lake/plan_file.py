"""A small JSON document beside the lake that says what is under way, to go on with it later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutline.errors import RunFailed
from cutline.lake.keep import write_files
from cutline.lake.manifest import Folder


@dataclass(frozen=True)
class PlanFile:
    """The document `name` in a folder of this machine or at a URL. `label` names it for people, and
    `left_behind` says in an error what has not happened."""

    folder: str
    name: str
    label: str
    left_behind: str

    def document(self) -> dict[str, Any] | None:
        """The document; null where there is none. RunFailed where it cannot be read."""
        try:
            text = Folder.of(self.folder).text(self.name)
            content = None if text is None else json.loads(text)
            if content is None or isinstance(content, dict):
                return content
            raise ValueError("it is no object of JSON")
        except (OSError, ValueError) as error:
            raise RunFailed(
                f"{self.label}, {self.folder}/{self.name}, cannot be read: {error}",
                left_behind=self.left_behind,
                next_step="Mend the permissions, then run the same command again.",
            ) from error

    def replace(self, document: Mapping[str, Any]) -> None:
        """Replace the document. RunFailed where it cannot be written."""
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        write_files(self.folder, {self.name: text}, self.label)
