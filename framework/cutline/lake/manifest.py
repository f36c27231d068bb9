"""The manifest of a table: which files it is made of, how long they are and what is in them.

It lies beside the files, under a name that Spark passes over, and the control database keeps its
digest. So a file that was changed, cut off, added, lost or taken from another run is noticed,
whatever its size and its time, and nothing that grows with the data is kept in the database.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from cutline.errors import RunFailed
from cutline.lake.file_system import file_system

if TYPE_CHECKING:
    from pyarrow import fs

MANIFEST = "_manifest.json"
SMALL = 64 << 20
"""A table of so many bytes is read whole in a moment, wherever it lies."""
_CHUNK = 1 << 20
# Spark reads these although their names begin as those it passes over do.
_OF_PARQUET = ("_metadata", "_common_metadata")

Standing = tuple[tuple[str, int, int], ...]
"""The name, the bytes and the time (in nanoseconds) of each file of a table."""


@dataclass(frozen=True)
class Folder:
    """A folder on this machine, or a URL that pyarrow can read. Sub-folders belong to it."""

    system: fs.FileSystem
    root: str

    @classmethod
    def of(cls, path: str) -> Folder:
        return cls(*file_system(path))

    def files(self) -> Standing:
        """Its files that Spark would read, by name; none where there is no such folder."""
        from pyarrow import fs

        selector = fs.FileSelector(self.root, recursive=True, allow_not_found=True)
        names = (
            (found.path[len(self.root) :].lstrip("/"), found)
            for found in self.system.get_file_info(selector)
            if found.type == fs.FileType.File
        )
        return tuple(sorted((n, f.size, f.mtime_ns or 0) for n, f in names if _is_read(n)))

    def digest(self, name: str) -> str:
        """The SHA-256 of a file's bytes, read in pieces."""
        digest = hashlib.sha256()
        with self.system.open_input_stream(f"{self.root}/{name}", buffer_size=0) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    def text(self, name: str) -> str | None:
        """A small file's text; null where it is not there."""
        try:
            with self.system.open_input_stream(f"{self.root}/{name}") as file:
                return str(file.read().decode("utf-8", "replace"))
        except FileNotFoundError:
            return None


def write_manifest(path: str, details: Mapping[str, object] | None = None) -> str:
    """Write the manifest of the files in a table's folder, which nobody reads yet; its digest.

    `details` are kept beside the list of files. RunFailed says what the file system has against it.
    """
    folder = Folder.of(path)
    try:
        files = {n: {"bytes": size, "sha256": folder.digest(n)} for n, size, _ in folder.files()}
        manifest = {"files": files, **(details or {})}
        content = (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()
        with folder.system.open_output_stream(f"{folder.root}/{MANIFEST}") as file:
            file.write(content)
    except OSError as error:
        raise RunFailed(
            f"the manifest of {path} cannot be written: {error}",
            left_behind="Nothing of the table is visible; earlier stages are kept.",
            next_step="Make room or mend the permissions, then run the same command again.",
        ) from error
    return hashlib.sha256(content).hexdigest()


def details_of(path: str) -> Mapping[str, Any]:
    """What the manifest of the table in a folder holds beside its files; empty without one."""
    text = Folder.of(path).text(MANIFEST)
    try:
        manifest: dict[str, Any] = {} if text is None else json.loads(text)
    except ValueError:
        return {}
    return {name: value for name, value in manifest.items() if name != "files"}


def base_path(path: str, run_id: str) -> str:
    """Where another run of the slice has the table that lies in a folder."""
    run, _, name = path.rpartition("/")
    return f"{run.rpartition('/')[0]}/{run_id}/{name}"


def difference(path: str, recorded: str | None) -> str | None:
    """How a table's folder differs from what was written there, in one sentence; null if it does
    not.

    `recorded` is the digest of its manifest; null where nobody kept it, so that only the files and
    their manifest can be held against each other. Every byte is read.
    """
    folder = Folder.of(path)
    files = _listed(folder, recorded)
    if isinstance(files, str):
        return files
    return next(
        chain(
            _name_differences(folder, files),
            _byte_differences(folder, files),
            _base_differences(path),
        ),
        None,
    )


def seeming_difference(path: str, recorded: str, rows: int) -> str | None:
    """As `difference`, at the price of a look: of a table of more than SMALL bytes only the names,
    the lengths, and the number of rows that the feet of its files tell, which must be `rows`; of a
    delta those of its own files, and its base is looked at as well."""
    folder = Folder.of(path)
    files = _listed(folder, recorded)
    if isinstance(files, str):
        return files
    small = sum(size for _, size, _ in folder.files()) <= SMALL
    if base := details_of(path).get("base"):
        rows = int(base["rows"])
    closer = (
        _byte_differences(folder, files) if small else _row_count_differences(folder, files, rows)
    )
    return next(chain(_name_differences(folder, files), closer, _base_differences(path)), None)


_Files = Mapping[str, Mapping[str, object]]


def _listed(folder: Folder, recorded: str | None) -> _Files | str:
    """The files that the manifest lists; else what is wrong with it."""
    text = folder.text(MANIFEST)
    if text is None:
        return f"its {MANIFEST} is missing"
    if recorded is not None and hashlib.sha256(text.encode()).hexdigest() != recorded:
        return f"its {MANIFEST} is another one: a table of another run, or changed"
    try:
        files: _Files = json.loads(text)["files"]
    except (ValueError, LookupError, TypeError):
        return f"its {MANIFEST} cannot be read"
    return files


def _name_differences(folder: Folder, files: _Files) -> Iterator[str]:
    sizes = {name: size for name, size, _ in folder.files()}
    for name in sorted({*files} - {*sizes}):
        yield f"its file {name} is missing"
    for name in sorted({*sizes} - {*files}):
        yield f"file {name} was added to it"
    for name, size in sizes.items():
        if size != files[name]["bytes"]:
            yield f"its file {name} has {size:,} bytes, and {files[name]['bytes']:,} were written"


def _byte_differences(folder: Folder, files: _Files) -> Iterator[str]:
    for name in files:
        if folder.digest(name) != files[name]["sha256"]:
            yield f"its file {name} holds other bytes than were written"


def _base_differences(path: str) -> Iterator[str]:
    """How the base of a delta differs from what it was when the delta was written."""
    if base := details_of(path).get("base"):
        below = base_path(path, base["run_id"])
        says = seeming_difference(below, base["manifest"], int(base["base_rows"]))
        if says is not None:
            yield f"run {base['run_id']}, from which it goes on, has another table: {says}"


def _row_count_differences(folder: Folder, files: _Files, rows: int) -> Iterator[str]:
    from pyarrow import ArrowException
    from pyarrow import parquet as pq

    row_count = 0
    for name in files:
        try:
            with folder.system.open_input_file(f"{folder.root}/{name}") as file:
                row_count += pq.read_metadata(file).num_rows
        except ArrowException:
            yield f"its file {name} is no Parquet file any more"
    if row_count != rows:
        yield f"its files hold {row_count:,} rows, and {rows:,} were written"


def _is_read(name: str) -> bool:
    """Whether Spark would read a file, by its name within the folder."""
    return all(
        part in _OF_PARQUET or not (part[0] == "." or (part[0] == "_" and "=" not in part))
        for part in name.split("/")
    )
