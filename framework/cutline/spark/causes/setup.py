"""How Spark is set up, as far as an error must say what to set otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cutline.project.spark import is_local
from cutline.spark.gateway import launched_with
from cutline.spark.machine import heap_bytes, heap_text, local_folders, memory


@dataclass(frozen=True)
class SparkSetup:
    """The master, the driver's heap (None where somebody else set it), and where Spark writes.

    `lake` is the folder of the run's tables; empty where no run is meant.
    """

    master: str
    memory: str | None
    conf: Mapping[str, str] = field(default_factory=dict)
    lake: str = ""

    @classmethod
    def of_process(cls, *, is_own: bool = True, lake: str = "") -> SparkSetup:
        """That of this process; a session of another's (`is_own` false) has a heap of its own."""
        launched = launched_with()
        heap = launched.get("spark.driver.memory") if is_own else None
        return cls(launched.get("spark.master", "local"), heap, launched, lake)

    @property
    def is_local(self) -> bool:
        """Whether tasks run in this machine's one process."""
        return is_local(self.master)

    @property
    def local_folders(self) -> tuple[Path, ...]:
        """Where this machine's Spark keeps what it sorts and exchanges."""
        return local_folders(self.conf)

    def more_memory(self, why: str = "") -> str:
        """The sentence that says how to give the driver more memory, with a value."""
        if self.memory is None:
            return f"Start the session with more spark.driver.memory{why}."
        now, most = heap_bytes(self.memory), memory().total * 3 // 4
        if now >= most * 9 // 10:
            return (
                f"spark.memory is {self.memory}, nearly all that this machine has: use one with "
                f"more memory, or a cluster{why} (docs/sizing.md)."
            )
        value = heap_text(min(2 * now, most))
        return (
            f"Set spark.memory: {value} in cutline.yaml (it was {self.memory}){why}; "
            "docs/sizing.md says how much an input needs."
        )
