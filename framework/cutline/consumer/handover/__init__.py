"""A handler that a service gets later, given the past of a topic while the service goes on.

`LiveHandler` is around the handler of the service, `run_catch_up` reads the past in a group of its
own, and per partition one transaction decides from which record on the service does both.
"""

from __future__ import annotations

from cutline.consumer.handover.added import Added, AddedHandler
from cutline.consumer.handover.handover import Handover
from cutline.consumer.handover.live import LiveHandler, LiveResult, ServiceHandler
from cutline.consumer.handover.run import run_catch_up

__all__ = [
    "Added",
    "AddedHandler",
    "Handover",
    "LiveHandler",
    "LiveResult",
    "ServiceHandler",
    "run_catch_up",
]
