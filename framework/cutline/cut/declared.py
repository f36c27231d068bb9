"""From the sections of cutline.yaml to policies."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cutline.cut.batches import Batches, BatchPlace
from cutline.cut.change_number import ChangeNumber
from cutline.cut.commit_timestamp import CommitTimestamp
from cutline.cut.effective_date import EffectiveDate
from cutline.cut.exported_snapshot import ExportedSnapshot
from cutline.cut.in_log import SnapshotInLog
from cutline.cut.kafka_offsets import KafkaOffsets
from cutline.cut.policy import CutPolicy
from cutline.cut.transaction_visibility import GtidVisibility, TransactionVisibility
from cutline.errors import ConfigurationError
from cutline.positions import GtidSet, PgSnapshot, Position, log_of
from cutline.project.captured import captured_key
from cutline.project.cut import (
    BatchCut,
    ChangeNumberCut,
    CommitTimestampCut,
    EffectiveDateCut,
    ExportedSnapshotCut,
    KafkaOffsetsCut,
    SnapshotInLogCut,
    TransactionVisibilityCut,
)
from cutline.project.log import LogKind

Section = (
    TransactionVisibilityCut
    | ExportedSnapshotCut
    | ChangeNumberCut
    | CommitTimestampCut
    | KafkaOffsetsCut
    | BatchCut
    | SnapshotInLogCut
    | EffectiveDateCut
)


def policy_of(section: Section, log: LogKind, key: str) -> CutPolicy:
    """The policy of a section for a source with that kind of log; `key` is where it stands.

    ConfigurationError names the key of what cannot be read, or of a policy that such a log cannot
    carry.
    """
    match section:
        case TransactionVisibilityCut(visible=str(visible)):
            return _visibility(visible, log, key)
        case ExportedSnapshotCut(consistent_point=str(text)):
            return ExportedSnapshot(_position(text, log, f"{key}.consistent_point"), text)
        case ChangeNumberCut(number=number):
            _refuse_other_log(log in ("oracle", "number", "sqlserver"), section.policy, log, key)
            return ChangeNumber(_position(number, log, f"{key}.number"), number)
        case CommitTimestampCut(at=at, until=until, overlap=overlap):
            if until is not None and until <= at:
                raise ConfigurationError(
                    f"{key}.until: the overlap zone ends at {until}, which is not after {at}",
                    next_step="Give the moment at which the extract was complete.",
                )
            return CommitTimestamp(at, until, overlap == "hold")
        case KafkaOffsetsCut(offsets=offsets):
            return KafkaOffsets(offsets)
        case BatchCut():
            return _batches(section, log, key)
        case SnapshotInLogCut():
            return SnapshotInLog()
        case EffectiveDateCut(date=date, beneath=beneath):
            begins = dt.datetime.combine(date, dt.time(), _zone(section.zone, f"{key}.zone"))
            return EffectiveDate(begins, policy_of(beneath, log, f"{key}.beneath"))
        case _:
            raise ConfigurationError(
                f"{key}.{captured_key(section)} is missing",
                next_step="Copy it from where the extract was taken.",
            )


def _visibility(text: str, log: LogKind, key: str) -> CutPolicy:
    _refuse_other_log(log in ("postgresql", "mysql"), "transaction-visibility", log, key)
    if log == "mysql":
        return GtidVisibility(_parsed_at(lambda: GtidSet.parse(text), f"{key}.visible"))
    return TransactionVisibility(_parsed_at(lambda: PgSnapshot.parse(text), f"{key}.visible"))


def _batches(section: BatchCut, log: LogKind, key: str) -> Batches:
    batches = tuple(
        BatchPlace(
            one.id,
            one.generation,
            _position(one.consistent_point, log, f"{key}.batches.{i}.consistent_point"),
            one.consistent_point,
            one.folder,
            dict(one.rows),
        )
        for i, one in enumerate(section.batches)
    )
    for field in ("id", "folder"):
        named = [getattr(batch, field) for batch in batches]
        for twice in sorted({name for name in named if named.count(name) > 1}):
            raise ConfigurationError(f"{key}.batches: two of them have the {field} {twice!r}")
    return Batches(batches)


def _position(text: str, log: LogKind, key: str) -> Position:
    return _parsed_at(lambda: log_of(log).parse(text), key)


_T = TypeVar("_T")


def _parsed_at(read: Callable[[], _T], key: str) -> _T:
    try:
        return read()
    except ConfigurationError as error:
        raise ConfigurationError(f"{key}: {error.what}", next_step=error.next_step) from error


def _refuse_other_log(carried: bool, policy: str, log: LogKind, key: str) -> None:
    if not carried:
        raise ConfigurationError(
            f"{key}.policy: the changes of a {log} log do not carry what {policy} asks for",
            next_step="Declare `log` as what the changes come from, or choose another policy.",
        )


def _zone(name: str, key: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ConfigurationError(f"{key}: there is no time zone {name!r}") from error
