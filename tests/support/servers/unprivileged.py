"""Servers that refuse to run as root run as somebody else."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import Any


def as_user(folder: Path, name: str) -> dict[str, Any]:
    """Arguments of Popen for a user of that name, or else `nobody`, who then owns the folder; none
    where this process is not root."""
    if os.geteuid() != 0:
        return {}
    for candidate in (name, "nobody"):
        try:
            user = pwd.getpwnam(candidate)
        except KeyError:
            continue
        os.chown(folder, user.pw_uid, user.pw_gid)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise RuntimeError(f"root, and neither a user `{name}` nor `nobody` to run the server as")
