"""A slice of the smallest shop whose ledger is literal, with what both sides decided since.

The legacy's clock is that of its log: `at` gives the moment that `support.logged` dates a commit by.
The control database has the clock of this machine, years away from it.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cutline.control import Control, RunRecord
from cutline.control.rollouts import LedgerEvent, RolloutChange
from cutline.project import load
from cutline.rollout import RolloutWork
from cutline.rollout.decisions import SliceDecisions, reconcile_decisions
from support.logged import logged
from support.shop_project import write_project

CONTEXT, REGION = "shop", "all"
TOPIC = "shop.shop.order.live"


def at(transaction: int) -> dt.datetime:
    """When the legacy committed a transaction, by its own clock."""
    return dt.datetime.fromtimestamp((1_790_000_000_000 + transaction) / 1_000, dt.UTC)


class DecidedShop:
    """The slice; each method is something that happened, in order."""

    def __init__(self, folder: Path, live: Mapping[str, Any] | None = None) -> None:
        self.folder = write_project(
            folder, {"path": "changes.jsonl"}, 0, live or {"aggregates": ["order"]}
        )
        self._changes = 0
        self._offsets = 0
        (self.folder / "changes.jsonl").touch()
        self.topic = self.folder / "topics" / TOPIC / "00000.jsonl"
        self.topic.parent.mkdir(parents=True)
        self.topic.touch()
        self.project = load(self.folder, REGION)
        self.control = Control.open(self.project.file.control, self.folder)
        with self.control.lease(CONTEXT, REGION) as lease:
            self.control.open_rollout(0, RolloutChange("open", "opened", "ops"), lease)

    def legacy(self, number: int, transaction: int, buyer: str = "Ann") -> None:
        """An order with its line, which the legacy committed as that transaction."""
        rows: list[tuple[str, dict[str, Any]]] = [
            ("lines", {"line_no": number, "order_no": number, "item": "tea"}),
            ("orders", {"no": number, "buyer": buyer}),
        ]
        self._log(rows, transaction)

    def legacy_note(self, number: int, transaction: int) -> None:
        """A note on an order, which the legacy committed as that transaction."""
        self._log([("notes", {"order_no": number, "text": "call me"})], transaction)

    def new(
        self, number: int, epoch: int | str | None, kind: str = "Placed", region: str = REGION
    ) -> str:
        """A live event of an order; its id. `epoch` is what it carries."""
        event_id = f"{kind}-{number}-{self._offsets}"
        headers = {
            **{"ce_specversion": "1.0", "ce_id": event_id, "ce_source": "shop", "ce_type": kind},
            **{"ce_subject": str(number), "ce_time": "2026-10-05T10:00:00Z"},
            **{"content-type": "application/json", "ce_migregion": region},
        }
        if epoch is not None:
            headers |= {"ce_migepoch": str(epoch), "ce_migcontext": CONTEXT}
        data = {"item": "tea", "buyer": "Ann"} if kind == "Placed" else {}
        record = {
            **{"partition": 0, "offset": self._offsets, "timestamp": "2026-10-05T10:00:00Z"},
            **{"key": str(number), "headers": headers, "value": data},
        }
        with self.topic.open("a") as topic:
            topic.write(json.dumps(record) + "\n")
        self._offsets += 1
        return event_id

    def hold(self, transaction: int) -> None:
        """The legacy is held, and its clock stands at that transaction's commit."""
        self._change("switch writes", "claim-epoch", writes="held")
        self._change("switch writes", "record-position", legacy_clock=at(transaction).isoformat())

    def give_back_hold(self) -> None:
        """The hold is taken back."""
        self._change("switch writes", "drain-tail", event="undone", writes="legacy")

    def flip(self) -> None:
        """The new side writes."""
        self._change("switch writes", "flip", writes="new", live_ends=self._ends())

    def reverse(self, transaction: int) -> None:
        """The legacy has the writes back when its clock stands at that transaction's commit."""
        self._change("reverse writes", "hold-new", writes="held")
        clock = at(transaction).isoformat()
        self._change(
            *("reverse writes", "flip-back"),
            **{"writes": "legacy", "legacy_clock": clock, "live_ends": self._ends()},
        )

    @property
    def epoch(self) -> int:
        """The epoch as it is now."""
        rollout = self.control.rollout(CONTEXT, REGION)
        assert rollout is not None
        return rollout.epoch

    def decisions(self) -> SliceDecisions:
        """What is reconciled now."""
        return reconcile_decisions(self.project, self.control, CONTEXT, REGION)

    def work(self) -> RolloutWork:
        """What a process has that looks at the slice now."""

        def nothing_to_do(_: object) -> RunRecord:
            raise AssertionError("the slice is not carried on")

        return RolloutWork(
            *(self.project, self.control, CONTEXT, REGION, nothing_to_do, print),
            rollout=self.control.rollout(CONTEXT, REGION),
        )

    def _ends(self) -> dict[str, dict[str, int]]:
        return {TOPIC: {"0": self._offsets}}

    def _change(
        self,
        command: str,
        step: str,
        *,
        event: LedgerEvent = "done",
        writes: str | None = None,
        **evidence: Any,
    ) -> None:
        rollout = self.control.rollout(CONTEXT, REGION)
        assert rollout is not None
        values = {} if writes is None else {"writes": writes, "epoch": rollout.epoch + 1}
        change = RolloutChange(command, event, "ops", step=step, evidence=evidence, values=values)
        with self.control.lease(CONTEXT, REGION) as lease:
            self.control.change_rollout(rollout.version, change, lease)

    def _log(self, rows: list[tuple[str, dict[str, Any]]], transaction: int) -> None:
        with (self.folder / "changes.jsonl").open("a") as log:
            for number, (table, after) in enumerate(rows, 1):
                place, last = 1000 + 20 * self._changes, 990 + 20 * (self._changes - number + 1)
                change = logged(
                    table, None, after, transaction=transaction, row=number, lsn=place, last=last
                )
                log.write(json.dumps(change) + "\n")
                self._changes += 1
