"""The file system that a path of this machine or a URL is on, for what Python reads and writes."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyarrow import fs

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_SPARKS_S3 = re.compile(r"^s3[an](?=://)")


def file_system(place: str) -> tuple[fs.FileSystem, str]:
    """pyarrow's file system of a place, and the path in it.

    `place` is an absolute path of this machine, or a URL that pyarrow can read: ValueError for one
    of another kind. `..` in a path goes back by name, as Hadoop has it, whatever links are on the
    way.
    """
    from pyarrow import fs

    if not _URL.match(place):
        return fs.LocalFileSystem(), posixpath.normpath(place)
    # Spark's name for S3 is not pyarrow's.
    system, path = fs.FileSystem.from_uri(_SPARKS_S3.sub("s3", place))
    return system, str(path)
