"""Errors of consumers: what happened, what was left behind, and what comes next."""

from __future__ import annotations


class ConsumerError(Exception):
    """What happened, in one sentence that names topic, partition, table or setting.

    `left_behind` says what exists now that did not before, `next_step` what to do.
    """

    def __init__(self, what_failed: str, *, left_behind: str = "", next_step: str = "") -> None:
        self.what_failed = what_failed
        self.left_behind = left_behind
        self.next_step = next_step
        super().__init__("\n".join(part for part in (what_failed, left_behind, next_step) if part))


class MalformedEvent(ConsumerError):
    """A record that is no CloudEvent that can be handled; `attribute` is the one that is at fault.

    `attribute` is `data` for the payload, `content-type` for the media type of the record.
    """

    def __init__(
        self, topic: str, partition: int, offset: int, attribute: str, reason: str
    ) -> None:
        self.topic, self.partition, self.offset = topic, partition, offset
        self.attribute, self.reason = attribute, reason
        super().__init__(
            f"topic {topic}, partition {partition}, offset {offset}: {attribute} {reason}",
            left_behind="Nothing of this record was handled.",
            next_step="Mend its producer. A dead letter of it can be discarded, with a reason.",
        )


class Stopping(Exception):
    """The service was told to stop while it waited to try an event again; nothing of it is done."""
