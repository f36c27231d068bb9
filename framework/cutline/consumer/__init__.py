"""For services that read what Cutline publishes: each event once, and no effect twice.

It stands alone: confluent-kafka, pydantic and SQLAlchemy, and nothing else of Cutline.
"""

from __future__ import annotations

from cutline.consumer.authority import ControlDatabase
from cutline.consumer.binding import envelope_of
from cutline.consumer.control_rows import SliceRelease
from cutline.consumer.effects import Effects
from cutline.consumer.envelope import Envelope
from cutline.consumer.epochs import SliceAuthority
from cutline.consumer.errors import ConsumerError, MalformedEvent, Stopping
from cutline.consumer.files import FilesSource
from cutline.consumer.gate import Mode
from cutline.consumer.handling import Handled, Handler, Work
from cutline.consumer.kafka import run_kafka
from cutline.consumer.outbox import Action, Effect
from cutline.consumer.policy import ConsumerPolicy
from cutline.consumer.reads import SliceReads, share_of
from cutline.consumer.received import Received
from cutline.consumer.redrive import Released
from cutline.consumer.retries import Retries
from cutline.consumer.run_files import run_files
from cutline.consumer.service import Service

__all__ = [
    "Action",
    "ConsumerError",
    "ConsumerPolicy",
    "ControlDatabase",
    "Effect",
    "Effects",
    "Envelope",
    "FilesSource",
    "Handled",
    "Handler",
    "MalformedEvent",
    "Mode",
    "Received",
    "Released",
    "Retries",
    "Service",
    "SliceAuthority",
    "SliceReads",
    "SliceRelease",
    "Stopping",
    "Work",
    "envelope_of",
    "run_files",
    "run_kafka",
    "share_of",
]
