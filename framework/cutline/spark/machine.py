"""What this machine, or the part of it that this process may use, has: memory and free disk."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_CGROUPS = Path("/sys/fs/cgroup")
_NO_LIMIT = 1 << 60
"""From here on a number in a limit's file means that there is none."""


@dataclass(frozen=True)
class Memory:
    """Bytes of memory: in all, and those that nobody uses."""

    total: int
    available: int


def memory() -> Memory:
    """The machine's memory, or what a container allows of it, whichever is less."""
    import psutil

    machine = psutil.virtual_memory()
    total, available = int(machine.total), int(machine.available)
    for limit, used in _limits():
        total, available = min(total, limit), min(available, max(0, limit - used))
    return Memory(total, available)


def heap_bytes(text: str) -> int:
    """The bytes of a size as `spark.memory` is written.

    >>> heap_bytes("512m") == 512 << 20
    True
    """
    return int(text[:-1]) * _UNITS[text[-1]]


def heap_text(size: int) -> str:
    """A size as `spark.memory` is written, in whole GiB, or in steps of 256 MiB below 8 GiB.

    >>> heap_text(3 << 30), heap_text((2 << 30) + 1), heap_text((8 << 30) + 1)
    ('3g', '2304m', '9g')
    """
    step = 1 << 30 if size > 8 << 30 else 256 << 20
    size = -(-size // step) * step
    return f"{size >> 30}g" if size % (1 << 30) == 0 else f"{size >> 20}m"


def amount(size: float) -> str:
    """Bytes as people read them.

    >>> amount(1_288_490_189), amount(5_242_880), amount(700_000)
    ('1.2 GiB', '5 MiB', '684 KiB')
    """
    for unit, name, digits in ((30, "GiB", 1), (20, "MiB", 0)):
        if size >= 1 << unit:
            return f"{size / (1 << unit):.{digits}f} {name}"
    return f"{size / 1024:.0f} KiB"


def local_folders(conf: Mapping[str, str]) -> tuple[Path, ...]:
    """Where a local master keeps what it sorts and exchanges, by its settings."""
    text = os.environ.get("SPARK_LOCAL_DIRS") or conf.get("spark.local.dir")
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    return tuple(map(Path, names)) or (Path(tempfile.gettempdir()),)


def free_bytes(folder: Path) -> int | None:
    """What is free on the disk of a folder, or of the nearest one above that is there."""
    with contextlib.suppress(OSError):
        return shutil.disk_usage(_existing(folder)).free
    return None


def device_of(folder: Path) -> int | None:
    """The disk of a folder, as a number by which two folders can be compared."""
    with contextlib.suppress(OSError):
        return _existing(folder).stat().st_dev
    return None


def _existing(folder: Path) -> Path:
    return next((place for place in (folder, *folder.parents) if place.exists()), folder)


def _limits() -> Iterator[tuple[int, int]]:
    """Each limit on this process's memory with what of it is used."""
    for folder in _cgroups():
        for limit, used in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            allowed = _number(folder / limit)
            if allowed is not None and allowed < _NO_LIMIT:
                # What files are cached counts as used, and is given back when it is needed.
                cached = _statistic(folder / "memory.stat", "inactive_file")
                yield allowed, max(0, (_number(folder / used) or 0) - cached)


def _cgroups() -> Iterator[Path]:
    """The control groups of this process, from its own up to the uppermost."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root = _CGROUPS / "memory" if controllers else _CGROUPS
        lowest = root / name.lstrip("/")
        yield lowest
        yield from (folder for folder in lowest.parents if folder.is_relative_to(root))


def _number(file: Path) -> int | None:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _statistic(file: Path, name: str) -> int:
    try:
        match = re.search(rf"^(?:total_)?{name} (\d+)$", file.read_text(encoding="utf-8"), re.M)
    except OSError:
        return 0
    return int(match[1]) if match else 0
