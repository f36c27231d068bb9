"""A process that publishes numbers to some partitions, in small transactions; to be killed."""

from __future__ import annotations

import sys
from typing import Any

PARTITIONS = 3
RECORDS = 1_500


def main(bootstrap: str, prefix: str, epoch: int, paused_commit: int) -> None:
    """Publishes, prints `committing` before each commit, and `done` when all is. The commit of number
    `paused_commit`, if that is not 0, waits until a line comes."""
    from cutline.kafka import ClientSettings
    from cutline.topics.kafka import producing, sending
    from cutline.topics.kafka.slots import Slot
    from support.published import numbered, publisher, send

    sending._CHUNK_RECORDS = 25
    commits = 0
    real = producing.Producer

    class Watched:
        """A producer that tells when it is about to commit."""

        def __init__(self, settings: dict[str, Any]) -> None:
            self._producer = real(settings)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._producer, name)

        def commit_transaction(self, seconds: float) -> None:
            nonlocal commits
            commits += 1
            print("committing", flush=True)
            if commits == paused_commit:
                sys.stdin.readline()
            self._producer.commit_transaction(seconds)

    producing.Producer = Watched  # type: ignore[assignment, misc]
    run_publisher = publisher(
        ClientSettings({"bootstrap.servers": bootstrap}), prefix, "run-1", epoch
    )
    print("begun", flush=True)
    for partition in range(PARTITIONS):
        slot = Slot(partition, f"{prefix}.shop.order.synthetic", partition)
        send(run_publisher, slot, numbered(RECORDS, partition * RECORDS)).close()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
