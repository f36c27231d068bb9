"""The lease of a slice on which somebody may work for a moment."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from cutline.control import Control
from cutline.control.lease import Lease
from cutline.errors import SliceBusy


@contextlib.contextmanager
def patient_lease(control: Control, context: str, region: str, patience: float) -> Iterator[Lease]:
    """The slice's lease; who else works on the slice is waited for, for so many seconds.

    SliceBusy behind that.
    """
    deadline = time.monotonic() + patience
    while True:
        with contextlib.ExitStack() as stack:
            try:
                lease = stack.enter_context(control.lease(context, region))
            except SliceBusy:
                if time.monotonic() > deadline:
                    raise
            else:
                yield lease
                return
        time.sleep(1)
