"""A Python that has loaded the command line, and forks for each command. Run as a script.

What it forks is a process like any other: it has an environment, streams and an exit code of its
own, and nothing that another command did. Only what Python takes to load is spared. Reads one JSON
document a line, and answers with the exit code once the process has ended.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # As a script, its folder is searched first: that is `support`, and not the folder of it.
    sys.path[0] = str(Path(__file__).parents[1])

from support import fake_cutline

LOADED = ("cutline.api.run", "cutline.run.base", "cutline.spark.cluster", "cutline.telemetry")
"""What a run loads, but for its runner and its stages, of which `fake_cutline` has its own."""


def become(command: dict[str, Any]) -> None:
    """Makes this process, just forked, the one that was asked for."""
    os.environ.clear()
    os.environ.update(command["env"])
    for number, name in enumerate((os.devnull, command["stdout"], command["stderr"])):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["cutline", *command["arguments"]]


def main() -> None:
    """Answers until standard input ends."""
    for name in LOADED:
        importlib.import_module(name)
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            become(json.loads(line))
            fake_cutline.begin()
            sys.exit()
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
