"""The folder of a comparison's views."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.errors import ConfigurationError, RunFailed

if TYPE_CHECKING:
    from cutline_reconciliation.compare import Comparison

_NEW, _DETAILS = ".cutline-new", "details"
_JSON, _JUNIT, _HTML = "comparison.json", "junit.xml", "comparison.html"
_OURS = {_NEW, _DETAILS, _JSON, _JUNIT, _HTML}


class ComparisonFolder:
    """A folder that is written as a whole: in a temporary place, then moved.

    Until then it has its earlier content.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def prepared(self) -> Iterator[None]:
        """A context manager that makes the folder, and removes it again if nothing was written.

        ConfigurationError if it cannot be made, or if it holds anything else.
        """
        existed = self.folder.exists()
        self._make()
        try:
            yield
        finally:
            shutil.rmtree(self.folder / _NEW, ignore_errors=True)
            if not existed:
                with contextlib.suppress(OSError):
                    self.folder.rmdir()

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            names = {path.name for path in self.folder.iterdir()}
            if not names <= _OURS or (names - {_NEW} and _JSON not in names):
                raise ConfigurationError(
                    f"--out: {self.folder} holds something that is no comparison: "
                    f"{', '.join(sorted(names - _OURS or names)[:3])}",
                    next_step="Name a new or an empty folder.",
                )
            shutil.rmtree(self.folder / _NEW, ignore_errors=True)
            (self.folder / _NEW).mkdir()
            (self.folder / _NEW / _JSON).write_text("")
        except OSError as error:
            raise ConfigurationError(
                f"--out: {self.folder} cannot be written: {error.strerror or error}",
                next_step="Name a folder that can be written.",
            ) from None

    def with_details(self, comparison: Comparison) -> Comparison:
        """The comparison with its details read from the folder."""
        if comparison.details is None:
            return comparison
        reader = comparison.details.sparkSession.read.schema(comparison.details.schema)
        return replace(
            comparison, make_details=partial(reader.parquet, str(self.folder.absolute() / _DETAILS))
        )

    def write(self, document: dict[str, Any], details: Path) -> None:
        """Write the views, and replace the folder's content by them and the details, if there are
        any.
        """
        from cutline_reports.comparison import as_html, as_junit

        new = self.folder / _NEW
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        try:
            (new / _JSON).write_text(text, encoding="utf-8", errors="backslashreplace")
            for name, view in ((_JUNIT, as_junit(document)), (_HTML, as_html(document))):
                (new / name).write_text(view, encoding="utf-8")
            if details.exists():
                shutil.move(details, new / _DETAILS)
            shutil.rmtree(self.folder / _DETAILS, ignore_errors=True)
            for path in new.iterdir():
                path.replace(self.folder / path.name)
            new.rmdir()
        except OSError as error:
            raise RunFailed(
                f"--out: {self.folder} cannot be written: {error}",
                left_behind="What is there may be in part of this comparison.",
                next_step="Run the same command again when it can be written.",
            ) from error
