"""Processes that a test forks: they have what it has set up, and end as they say."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable


def forked(act: Callable[[], int | None]) -> int:
    """The id of a process that does this and nothing else. Its exit code is what `act` returns, 0
    for None, and 1 where it raises: then standard error has the traceback."""
    child = os.fork()
    if child:
        return child
    # Clients of tests before this one, whose threads are not in this process, are garbage of the
    # process that made them: to destroy them here is a segmentation fault.
    gc.freeze()
    code = 1
    try:
        code = act() or 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def exit_code_of(act: Callable[[], int | None]) -> int:
    """The exit code of a process that does this; the negative number of a signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(forked(act), 0)[1])
