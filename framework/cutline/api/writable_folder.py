"""A folder that something is written into: what stands in the way there, for people."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cutline.errors import ConfigurationError, RunFailed

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))
_REFUSED = frozenset(
    (
        *(errno.EACCES, errno.EPERM, errno.EROFS),
        *(errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG),
    )
)


def may_pass(error: OSError) -> bool:
    """Whether the same write may go well later: the disk is full, or did not answer."""
    return error.errno in _FULL or error.errno == errno.EIO


@contextmanager
def writing_into(folder: Path, elsewhere: str) -> Iterator[None]:
    """A block that writes into the folder. ConfigurationError, with `elsewhere` as its next step,
    where that cannot be; RunFailed where its disk is full."""
    try:
        yield
    except OSError as error:
        says = f"{folder} cannot be written: {error.strerror}"
        if error.errno in _FULL:
            raise RunFailed(
                says,
                left_behind="What was written there so far is kept, and written again.",
                next_step="Make room on its disk, then run the same command again.",
            ) from None
        if error.errno in _REFUSED:
            raise ConfigurationError(says, next_step=elsewhere) from error
        raise
