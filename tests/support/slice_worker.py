"""A process of its own that opens a control database and takes a slice, told what to do on stdin.

`python slice_worker.py URL FOLDER`: says `ready`, waits for a line, opens the database, takes the
slice and says `held EPOCH`, then works until stdin ends; or says `busy` and what the error says.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pydantic import SecretStr

from cutline.control import Control
from cutline.errors import SliceBusy

CONTEXT, REGION = "fulfilment", "eu-west"


def start(url: SecretStr, folder: Path) -> subprocess.Popen[str]:
    """Starts a worker; it has said that it is ready."""
    worker = subprocess.Popen(
        [sys.executable, __file__, url.get_secret_value(), folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert line(worker) == "ready"
    return worker


def go(worker: subprocess.Popen[str]) -> None:
    """Tells the worker to take the slice."""
    assert worker.stdin is not None
    worker.stdin.write("go\n")
    worker.stdin.flush()


def line(worker: subprocess.Popen[str]) -> str:
    """The next line that the worker says; empty if it ended."""
    assert worker.stdout is not None
    return worker.stdout.readline().strip()


def end(worker: subprocess.Popen[str]) -> int:
    """Lets the worker end in peace; its exit code."""
    worker.communicate(timeout=60)
    return worker.returncode


def main() -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    control = Control.open(SecretStr(sys.argv[1]), Path(sys.argv[2]))
    try:
        with control.lease(CONTEXT, REGION) as lease:
            print(f"held {lease.epoch}", flush=True)
            sys.stdin.read()
    except SliceBusy as busy:
        print(f"busy {busy.what}", flush=True)


if __name__ == "__main__":
    main()
