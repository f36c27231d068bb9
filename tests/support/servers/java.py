"""The Java that servers run on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from support.missing import missing

SMALL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""For servers that share two cores with tests: ready sooner, and not made for much data."""


def java() -> Path:
    """The program, or the test is skipped; it fails under .ci/run."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if program is None:
        missing("no Java here to run servers: set JAVA_HOME, or have `java` on the PATH")
    return Path(program)
