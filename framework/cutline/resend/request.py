"""What is asked of a resend."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutline.errors import ConfigurationError
from cutline.replay.request import NOTHING_SENT


@dataclass(frozen=True)
class ResendRequest:
    """Whose history, or with `state` whose newest state, is sent to a topic.

    Subjects are chosen in one way: by their ids in `subjects`, by `where`, which is SQL over the
    columns of their aggregate's state, or as those of a `cluster` of breaks. `aggregate` is theirs;
    null where the context tells it. Without `alone` their wholes come before them. `rate` is the
    most messages a second; null for what the project says.
    """

    context: str
    region: str
    destination: str
    subjects: tuple[str, ...] = ()
    where: str | None = None
    cluster: str | None = None
    aggregate: str | None = None
    state: bool = False
    alone: bool = False
    rate: int | None = None

    def __post_init__(self) -> None:
        # Whoever names them in another order, or twice, asks for the same.
        object.__setattr__(self, "subjects", tuple(sorted(set(self.subjects))))
        ways = [bool(self.subjects), self.where is not None, self.cluster is not None]
        if sum(ways) != 1:
            raise ConfigurationError(
                "who is to be sent is said in several ways" if any(ways) else "nobody is named",
                left_behind=NOTHING_SENT,
                next_step="Name subjects, or give one of --where and --from-breaks.",
            )
        if self.state and self.alone:
            raise ConfigurationError(
                "--alone is for histories: states come without their wholes",
                left_behind=NOTHING_SENT,
                next_step="Leave out one of --state and --alone.",
            )

    def chosen(self) -> dict[str, Any]:
        """What of it decides which records are sent, as JSON has it."""
        return {name: value for name, value in asdict(self).items() if name != "rate"}
