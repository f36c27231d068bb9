"""How a service ends: by a signal, cleanly, or by its database, with a sentence."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from cutline.consumer.errors import ConsumerError
from cutline.consumer.service import Service

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stopped_by_signals(service: Service) -> Iterator[None]:
    """SIGTERM and SIGINT stop the service, in the main thread; afterwards they are as before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: service.stop()) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def explained_database_errors() -> Iterator[None]:
    """What the service's database raises, as a ConsumerError."""
    try:
        yield
    except SQLAlchemyError as error:
        raise ConsumerError(
            f"the service's database failed: {type(error).__name__}",
            left_behind="Nothing of the event at hand was written; it comes again.",
            next_step="See that the database answers, and start the service again.",
        ) from error
