"""Who calls."""

from __future__ import annotations

import getpass
import socket


def user_of_process() -> str:
    """The user of this process, and of which machine."""
    return f"{getpass.getuser()}@{socket.gethostname()}"
