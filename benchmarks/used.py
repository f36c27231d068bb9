"""What a process and its children use, the JVM and Python workers among them."""

from __future__ import annotations

import threading
import time

import psutil


def cpu_seconds(pid: int) -> float:
    """Processor seconds so far, by user and system, of the process and its JVM.

    Python workers are left out: what they used is forgotten when they end.
    """
    root = psutil.Process(pid)
    jvm = [one for one in root.children(recursive=True) if _name(one) == "java"]
    return sum(sum(one.cpu_times()[:2]) for one in (root, *jvm))


def _name(process: psutil.Process) -> str:
    """Its name; empty where it has ended meanwhile, as processes of a database do."""
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return ""


def watched(pid: int) -> list[float]:
    """A list of one number that grows while the process lives: MiB at the peak.

    What is resident, pages that several share divided among them (PSS), twice a second.
    """
    peak = [0.0]
    threading.Thread(target=_watch, args=(pid, peak), daemon=True).start()
    return peak


def _watch(pid: int, peak: list[float]) -> None:
    try:
        root = psutil.Process(pid)
        while root.is_running():
            tree = [root, *root.children(recursive=True)]
            total = 0
            for process in tree:
                try:
                    total += process.memory_full_info().pss
                except (psutil.NoSuchProcess, psutil.AccessDenied):
                    continue
            peak[0] = max(peak[0], total / 2**20)
            time.sleep(0.5)
    except psutil.NoSuchProcess:
        return
