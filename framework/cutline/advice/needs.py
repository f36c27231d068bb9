"""What the target needs, and what people say that no table tells."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Literal, get_args

from cutline.errors import ConfigurationError, did_you_mean

Need = Literal["state", "sequence", "read-model", "facts"]
"""How things are now; what happened to each subject, in its order; tables to query; and what
happened, each by itself with its time."""
NEEDS: tuple[Need, ...] = get_args(Need)

ALL = dt.timedelta.max
"""The horizon of those to whom all of the past matters."""
NONE = dt.timedelta(0)
"""No time at all: of a horizon, nothing from before the cut is needed; of a downtime, no pause."""

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_YEAR = 365
_EXAMPLES = "90m, 4h, 30d, 2w or 5y"
NOTHING_CHANGED = "Nothing was changed."


@dataclass(frozen=True)
class Answers:
    """What people say of the target and of the move; null where nobody said it.

    `horizon` is how far back the past matters: ALL, or NONE where nothing from before the cut is
    needed. `downtime` is how long the legacy may stand still, NONE for not at all. `side_effects`:
    consumers act on what they read, such as by a mail. `archive`: a lake has the events of the
    past. `replay` is the one of cutline.yaml whose source holds events of the context.
    """

    needs: tuple[Need, ...]
    horizon: dt.timedelta | None = None
    downtime: dt.timedelta | None = None
    side_effects: bool | None = None
    archive: bool | None = None
    replay: str | None = None


def needs_of(names: tuple[str, ...]) -> tuple[Need, ...]:
    """The needs of those names, each once and in the order of NEEDS. ConfigurationError for none,
    and for a name that is no need."""
    for name in names:
        if name not in NEEDS:
            raise ConfigurationError(
                f"--needs: {name!r} is none of {', '.join(NEEDS)}.{did_you_mean(name, NEEDS)}",
                left_behind=NOTHING_CHANGED,
                next_step="Say what the target needs, such as --needs state --needs facts",
            )
    if not names:
        raise ConfigurationError(
            "--needs is missing: what fits depends on what the target needs",
            left_behind=NOTHING_CHANGED,
            next_step=f"Give one or several: {', '.join(f'--needs {need}' for need in NEEDS)}",
        )
    return tuple(need for need in NEEDS if need in names)


def span_of(option: str, text: str | dt.timedelta | None) -> dt.timedelta | None:
    """A time such as 4h, `none`, and for a horizon `all`; null for null. ConfigurationError, naming
    the option, for anything else."""
    if text is None:
        return None
    if isinstance(text, dt.timedelta) and text >= NONE:
        return text
    written = str(text).strip().lower()
    words = {"none": NONE, "all": ALL} if option == HORIZON else {"none": NONE}
    if written in words:
        return words[written]
    parts = re.fullmatch(r"(\d{1,5})([mhdwy])", written)
    if parts is None:
        raise ConfigurationError(
            f"{option}: {text!r} is no time such as {_EXAMPLES}, and not {' or '.join(words)}",
            left_behind=NOTHING_CHANGED,
            next_step=f"Write it such as {option} 4h, or leave it out.",
        )
    number, unit = int(parts[1]), parts[2]
    if unit == "y":
        return dt.timedelta(days=number * _YEAR)
    return dt.timedelta(**{_UNITS[unit]: number})


HORIZON, DOWNTIME = "--horizon", "--downtime"
