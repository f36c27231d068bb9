"""Jars by Maven, from a pom beside this file; fetched once, and kept in the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from support.missing import missing

POMS = Path(__file__).with_name("poms")
_SECONDS = 900


def jars(name: str) -> Path:
    """The folder with what the pom of that name depends on: jars, and archives unpacked.

    Without Maven, or where Maven cannot get them, the test is skipped, or fails under .ci/run.
    """
    pom = POMS / f"{name}.xml"
    cache_folder = _cache() / f"{name}-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    cache_folder.mkdir(parents=True, exist_ok=True)
    whole = cache_folder / name
    with (cache_folder / "lock").open("w") as lock:
        # Both workers of a run need them: the second waits for the first.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.is_dir():
            part = cache_folder / "part"
            shutil.rmtree(part, ignore_errors=True)
            _copy_dependencies(pom, part)
            part.rename(whole)
    return whole


def _cache() -> Path:
    user = os.environ.get("XDG_CACHE_HOME")
    return (Path(user) if user else Path.home() / ".cache") / "cutline" / "servers"


def _copy_dependencies(pom: Path, to: Path) -> None:
    program = shutil.which("mvn")
    if program is None:
        missing(f"no Maven here to get the jars of {pom.stem}: `mvn` is not on the PATH")
    command: list[str | Path] = [
        program,
        "-q",
        "-B",
        "-Dstyle.color=never",
        "-f",
        pom,
        "dependency:copy-dependencies",
    ]
    options = [f"-DoutputDirectory={to}", "-DincludeScope=runtime"]
    finished = subprocess.run([*command, *options], capture_output=True, timeout=_SECONDS)
    if finished.returncode:
        output_lines = finished.stdout.decode(errors="replace").strip().splitlines()
        missing(f"Maven could not get the jars of {pom.stem}: {' '.join(output_lines[:3])}")
    for archive in to.glob("*.tar.gz"):
        with tarfile.open(archive) as packed:
            packed.extractall(to, filter="data")
        archive.unlink()
