"""A denial of the trial region: held, ended, frozen and removed by the legacy's statements."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import text

from cutline.control.rollouts import Rollout
from cutline.errors import CutlineError, RunFailed
from cutline.logs import logger
from cutline.project.legacy_writes import LegacyWritesSection
from cutline.rollout.denial import refuse_bounded, refuse_missing, release_denial
from cutline.rollout.legacy import Denied, LegacyDatabase

_LOG = logger(__name__)

EPOCH = 1
"""The epoch of a denial that is tried. A rollout has it when it is opened, so no denial of a slice
is of it: that is of a later one."""
HOLDS = (2, 8, 32)
"""For how many seconds writes are held until that ends by itself: the longer where the legacy took
so long to answer that a shorter hold may have been over. One of 1 second may be over at once by a
clock of whole seconds."""
FROZEN_HOLDS = (4, 16, 64)
"""The same of a hold that is frozen in time."""
ROUNDING = 1.0
"""By how many seconds a clock of whole seconds may end a hold earlier or later."""
MARGIN = 0.5
"""How many seconds behind that a hold must be over."""
POLL_SECONDS = 0.1
_PREPARATIONS = ("LOCK", "SET", "PRAGMA")
"""How statements begin that change no row, so that they need no region."""
_SHOWN = 80
NOTHING_LEFT = "No denial of it is left in the legacy."
MEND = "Mend it, then rehearse again."


class TriedDenial:
    """The denial of a trial region. Methods raise RunFailed, naming the key that is at fault.

    `steps` has the key of each statement that did as it must, what that shows, and its seconds.
    """

    def __init__(
        self,
        section: LegacyWritesSection,
        legacy: LegacyDatabase,
        of_slice: LegacyDatabase,
        standing: Sequence[tuple[Rollout, LegacyDatabase]],
    ) -> None:
        """`legacy` has the trial region, `of_slice` that of the slice; `standing` are rollouts
        whose denials the legacy must have before and after, each with the database of its own."""
        self.steps: list[dict[str, Any]] = []
        self._section, self._legacy, self._of_slice = section, legacy, of_slice
        self._standing = standing
        self._has_denied = False

    def try_all(self) -> None:
        """Deny, let that end, deny again for good, and take it back."""
        self._refuse_statements_without_region()
        if self._of_slice.is_true("denied", self._section.denied, epoch=EPOCH):
            raise RunFailed(
                "cutline.yaml: rollout.legacy_writes.denied says that the slice is denied under "
                f"epoch {EPOCH}, under which no denial of a slice is: it ignores `:epoch`, or is "
                "always true",
                next_step=MEND,
            )
        standing = self._standing_behind_release()
        self._end_by_itself()
        self._stay_frozen()
        self._release("writes are taken again", standing)
        self._has_denied = False

    def remove_leftover(self) -> None:
        """Remove what a rehearsal left that was killed."""
        self._refuse_statements_without_region()
        self._standing_behind_release()

    def _standing_behind_release(self) -> list[tuple[Rollout, LegacyDatabase]]:
        """Release the denial; the rollouts whose own denials stand, as they did before."""
        standing = [
            (rollout, database)
            for rollout, database in self._standing
            if database.is_true("denied", self._section.denied, epoch=rollout.denial)
        ]
        self._release("nothing is denied", standing)
        return standing

    def clear(self) -> str:
        """Remove the denial, if one was tried; a sentence on what is left."""
        if not self._has_denied:
            return NOTHING_LEFT
        try:
            release_denial(self._legacy, self._section, EPOCH)
        except CutlineError as error:
            _LOG.warning(
                "denial of a rehearsal stays",
                extra={"region": self._section.trial_region, "error": type(error).__name__},
            )
            return (
                f"The denial of epoch {EPOCH} under region {self._section.trial_region} may stand "
                "in the legacy."
            )
        return NOTHING_LEFT

    @contextlib.contextmanager
    def step(self, key: str, shows: str) -> Iterator[None]:
        """What is done within comes to `steps`, if it does as it must."""
        began = time.monotonic()
        yield
        seconds = round(time.monotonic() - began, 3)
        self.steps.append({"key": f"rollout.{key}", "shows": shows, "seconds": seconds})

    def _refuse_statements_without_region(self) -> None:
        """Such ones would deny the slice itself, or release it: they are not tried at all."""
        section = self._section
        for key in ("hold", "freeze", "release", "denied", "frozen"):
            statements = getattr(section, key)
            every = (statements,) if isinstance(statements, str) else statements or ()
            for statement in every:
                is_preparation = statement.split()[0].upper() in _PREPARATIONS
                if not is_preparation and "region" not in text(statement).compile().params:
                    raise _ignored(f"{key} does not use it: {statement.strip()[:_SHOWN]}")

    def _end_by_itself(self) -> None:
        with self.step("legacy_writes.hold", "writes are refused"):
            began, seconds, denied = self._hold(HOLDS)
        self._look_at_slice()
        self._ask(denied)
        with self.step("legacy_writes.denied", f"a hold of {seconds} s ends by itself"):
            while self._is_denied():
                if time.monotonic() > began + seconds + ROUNDING + MARGIN:
                    raise RunFailed(
                        f"cutline.yaml: rollout.legacy_writes.hold was done for {seconds} s, and "
                        "its denial stands behind that: it does not end by itself",
                        next_step=MEND,
                    )
                time.sleep(POLL_SECONDS)
        with self.step("legacy_writes.freeze", "a hold that has ended stays so"):
            self._legacy.tell("freeze", self._section.freeze, epoch=EPOCH)
            if self._is_denied():
                raise RunFailed(
                    "cutline.yaml: rollout.legacy_writes.freeze denies writes again behind the end "
                    "of a hold: what was written in between would be lost",
                    next_step=MEND,
                )

    def _stay_frozen(self) -> None:
        with self.step("legacy_writes.freeze", "the denial has no end"):
            began, seconds = self._freeze_in_time()
        self._look_at_slice()
        with self.step("legacy_writes.denied", f"frozen, a hold of {seconds} s does not end"):
            # Done again by a process that goes on, `hold` must leave it without an end.
            self._legacy.tell("hold", self._section.hold, epoch=EPOCH, seconds=1)
            over = max(began + seconds, time.monotonic() + 1) + ROUNDING + MARGIN
            time.sleep(over - time.monotonic())
            if not self._is_denied():
                raise RunFailed(
                    "cutline.yaml: rollout.legacy_writes.freeze was done, and the denial ended "
                    "with its hold, or with `hold` done again: the legacy would take writes that "
                    "the new side has",
                    next_step=MEND,
                )

    def _freeze_in_time(self) -> tuple[float, int]:
        """When the hold began that was frozen before it was over, and for how many seconds."""
        for place in range(len(FROZEN_HOLDS)):
            began, seconds, _ = self._hold(FROZEN_HOLDS[place:])
            frozen = self._legacy.tell("freeze", self._section.freeze, epoch=EPOCH)
            if not _may_be_over(began, seconds):
                refuse_bounded(self._legacy, self._section, frozen, EPOCH)
                return began, seconds
        raise _too_slow("freeze", FROZEN_HOLDS[-1])

    def _hold(self, lengths: Sequence[int]) -> tuple[float, int, Denied]:
        """When a hold that stands began, for how many seconds, and what the database took of it."""
        for seconds in lengths:
            began, self._has_denied = time.monotonic(), True
            denied = self._legacy.tell("hold", self._section.hold, epoch=EPOCH, seconds=seconds)
            if self._is_denied():
                return began, seconds, denied
            if not _may_be_over(began, seconds):
                refuse_missing(self._legacy, self._section, EPOCH)
        raise _too_slow("hold", lengths[-1])

    def _ask(self, denied: Denied) -> None:
        """What a switch of writes asks under its hold: it must answer, whatever it says."""
        legacy, section = self._legacy, self._section
        with self.step("legacy_writes.open_transactions", "it is known which are open"):
            if section.open_transactions is not None:
                legacy.is_true("open_transactions", section.open_transactions, epoch=EPOCH)
            elif denied.transaction is not None:
                legacy.has_older_transactions(denied.transaction)
            elif not legacy.knows_transactions:
                raise RunFailed(
                    "cutline.yaml: nothing says which transactions are open in the legacy: "
                    "rollout.legacy_writes.open_transactions",
                    next_step="Declare it, then rehearse again.",
                )
        with self.step("legacy_writes.clock", "it answers"):
            legacy.moment(section.clock)
        if section.position is None:
            return
        with self.step("legacy_writes.position", "it answers"):
            position = str(legacy.ask("position", section.position, epoch=EPOCH))
        if section.drained is not None:
            with self.step("legacy_writes.drained", "it answers"):
                legacy.is_true("drained", section.drained, epoch=EPOCH, position=position)

    def _release(self, shows: str, standing: Sequence[tuple[Rollout, LegacyDatabase]]) -> None:
        with self.step("legacy_writes.release", shows):
            release_denial(self._legacy, self._section, EPOCH)
        for rollout, database in standing:
            if not database.is_true("denied", self._section.denied, epoch=rollout.denial):
                raise RunFailed(
                    "cutline.yaml: rollout.legacy_writes.release removed the denial of epoch "
                    f"{rollout.denial} of {rollout.context}/{rollout.region} as well, whose writes "
                    "the legacy takes now",
                    next_step="Put that denial back by hand, and mend the statement.",
                )

    def _look_at_slice(self) -> None:
        with self.step("legacy_writes.denied", "the slice itself is not denied"):
            if self._of_slice.is_true("denied", self._section.denied, epoch=EPOCH):
                raise _ignored("the slice itself was denied with the trial region")

    def _is_denied(self) -> bool:
        return self._legacy.is_true("denied", self._section.denied, epoch=EPOCH)


def _may_be_over(began: float, seconds: int) -> bool:
    return time.monotonic() > began + seconds - ROUNDING


def _ignored(says: str) -> RunFailed:
    return RunFailed(
        f"cutline.yaml: the statements of rollout.legacy_writes ignore `:region`: {says}",
        next_step="Let hold, freeze, release, denied and frozen tell regions apart by `:region`, "
        "then rehearse again.",
    )


def _too_slow(key: str, seconds: int) -> RunFailed:
    return RunFailed(
        f"cutline.yaml: rollout.legacy_writes.{key} took so long that a hold of {seconds} s was "
        "over before it was answered",
        next_step="See why the legacy's database is slow, then rehearse again.",
    )
