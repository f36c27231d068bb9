"""The end of a process, as far as what runs in it can see."""

from __future__ import annotations


class Killed(BaseException):
    """Raised where the process would be killed. No `except Exception` takes it; `finally` still runs,
    so it is gentler than a kill.
    """
