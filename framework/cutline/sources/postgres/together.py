"""Several answers of a database, fetched at once by a thread each, as one."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

_WAITING = 2
"""Batches of each answer that may wait to be taken."""
_SECONDS = 0.2


def together(
    answers: Sequence[Callable[[], Iterator[pa.RecordBatch]]], cancel: Callable[[], None]
) -> Iterator[pa.RecordBatch]:
    """The batches of all answers as they come. The first error of one ends all of them, and so does
    whoever takes no more; `cancel` ends what the database does for them.
    """
    batches: queue.Queue[pa.RecordBatch | BaseException | None] = queue.Queue(
        _WAITING * len(answers)
    )
    stopped = threading.Event()

    def hand_over(batch: pa.RecordBatch | BaseException | None) -> None:
        while not stopped.is_set():
            with contextlib.suppress(queue.Full):
                batches.put(batch, timeout=_SECONDS)
                return

    def fetch(answer: Callable[[], Iterator[pa.RecordBatch]]) -> None:
        try:
            with contextlib.closing(answer()) as fetched:  # type: ignore[type-var]
                for batch in fetched:
                    hand_over(batch)
                    if stopped.is_set():
                        return
        except BaseException as error:
            hand_over(error)
        else:
            hand_over(None)

    threads = [
        threading.Thread(target=fetch, args=[answer], name="cutline-answer", daemon=True)
        for answer in answers
    ]
    for thread in threads:
        thread.start()
    running = len(threads)
    try:
        while running:
            batch = batches.get()
            if isinstance(batch, BaseException):
                raise batch
            if batch is None:
                running -= 1
            else:
                yield batch
    finally:
        stopped.set()
        if running:
            cancel()
        for thread in threads:
            thread.join()
