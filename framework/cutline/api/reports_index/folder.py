"""The folder of a site: what may be written into it, and how."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

from cutline.errors import ConfigurationError, RunFailed
from cutline.lake.unchanged import sha256

MARKER = "site.json"
"""The file by which a folder is known to be a site."""
_KIND = {"kind": "cutline reports", "format": 1}


class SiteFolder:
    """A folder on this machine that holds a site of reports and nothing else.

    Each file is whole or not there at all; the same site may be written again at any time.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        """Make the folder; ConfigurationError if it holds something else, or cannot be made."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            foreign = sorted(path.name for path in self.folder.iterdir())
            if foreign and not self._is_site():
                raise ConfigurationError(
                    f"--index: {self.folder} holds something that is no site of reports: "
                    f"{', '.join(foreign[:3])}",
                    left_behind="Nothing was written.",
                    next_step="Name a new or an empty folder.",
                )
        except OSError as error:
            raise ConfigurationError(
                f"--index: {self.folder} cannot be written: {error.strerror or error}",
                left_behind="Nothing was written.",
                next_step="Name a folder that can be written.",
            ) from None
        self.write(MARKER, json.dumps(_KIND) + "\n")

    def write(self, name: str, text: str) -> None:
        """Write a file by its name in the site; RunFailed if it cannot be written."""
        path = self.folder / name
        attempt = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            attempt.write_bytes(text.encode("utf-8"))
            attempt.replace(path)
        except OSError as error:
            attempt.unlink(missing_ok=True)
            raise RunFailed(
                f"{path} of the site of reports cannot be written: {error.strerror or error}",
                left_behind="What is there may be in part of this site and in part of an earlier "
                "one; its pages are whole.",
                next_step="Make room or mend the permissions, then run the same command again.",
            ) from error

    def text(self, name: str) -> str | None:
        """The text of a file of the site; None if it is not there or is no text."""
        try:
            return (self.folder / name).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def pages(self, place: str, pattern: str) -> list[str]:
        """The pages of a folder that are like a pattern, without ending and sorted."""
        return sorted(path.stem for path in (self.folder / place).glob(f"{pattern}.html"))

    def has(self, name: str, digest: str) -> bool:
        """Whether the site has a file with these bytes, by their SHA-256."""
        text = self.text(name)
        return text is not None and sha256(text) == digest

    def remove(self, name: str) -> None:
        """Remove a file, if it is there; RunFailed if it cannot be removed."""
        path = self.folder / name
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise RunFailed(
                f"{path} of the site of reports cannot be removed: {error.strerror or error}",
                left_behind="It is there and is not what the run wrote; the index is as before.",
                next_step="Remove it, then run the same command again.",
            ) from error

    def _is_site(self) -> bool:
        try:
            document = json.loads((self.folder / MARKER).read_bytes())
        except (OSError, ValueError):
            return False
        return isinstance(document, dict) and document.get("kind") == _KIND["kind"]
