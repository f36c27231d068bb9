"""A hook of MkDocs: the site has the same paths as the repository.

Pages link to each other and to other files as they do when they are read in the repository. So the
site holds the pages that mkdocs.yml names (`extra.pages`), and each file that one of them links to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]

_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The site's files by their paths in the repository, in place of those within `docs`."""
    theme = [file for file in files if not _is_in(file, Path(config.docs_dir))]
    ahead = [path for glob in config.extra["pages"] for path in ROOT.glob(glob) if path.is_file()]
    placed: dict[Path, File] = {}
    while ahead:
        path = ahead.pop()
        if path not in placed:
            name = path.relative_to(ROOT).as_posix()
            placed[path] = File(name, str(ROOT), config.site_dir, config.use_directory_urls)
            if path.suffix == ".md":
                ahead += _linked(path)
    return Files([*theme, *(placed[path] for path in sorted(placed))])


def _is_in(file: File, folder: Path) -> bool:
    return file.abs_src_path is not None and Path(file.abs_src_path).is_relative_to(folder)


def _linked(page: Path) -> Iterator[Path]:
    """The files of the repository that a page links to."""
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        path = (page.parent / target).resolve()
        if "://" not in target and path.is_file():
            yield path
