"""How a service deals with what comes: declared, in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cutline.consumer.epochs import AskAuthority
from cutline.consumer.gate import Mode
from cutline.consumer.holding import stream_of
from cutline.consumer.received import Received
from cutline.consumer.retries import Retries


def is_state_topic(topic: str) -> bool:
    """Whether a topic is one of states, by the name that Cutline gives those."""
    return topic.endswith(".state")


@dataclass(frozen=True)
class ConsumerPolicy:
    """How a service deals with what comes.

    `mode`: whether others may see its effects. `retries`: of the handler, and of each effect.
    `retention_days`: how long ids stay in the inbox, and sent effects in the outbox.
    `claim_seconds`: how long a process may take to send an effect; then another one does, too.
    `authority` asks the control database who has a slice's writes. `is_state`: whether a topic is
    one of states, whose records have one id for each subject and are known by their positions only.
    `needs_epoch`: whether a record must carry an epoch; by default none must.
    `stream`: what topics have in common whose events of one subject wait for each other.
    """

    mode: Mode = Mode.LIVE
    retries: Retries = field(default_factory=Retries)
    retention_days: float = 30.0
    claim_seconds: float = 60.0
    authority: AskAuthority | None = None
    is_state: Callable[[str], bool] = is_state_topic
    needs_epoch: Callable[[Received], bool] = lambda _record: False
    stream: Callable[[str], str] = stream_of

    def __post_init__(self) -> None:
        if self.retention_days <= 0 or self.claim_seconds <= 0:
            raise ValueError(
                f"retention_days is {self.retention_days} and claim_seconds is "
                f"{self.claim_seconds}; both must be above 0"
            )
