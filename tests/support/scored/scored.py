"""The score of one data set: the same sequences from a snapshot, from all changes, from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from support.scored.judgement import Judgement
from support.scored.truth import TrueEvent


@dataclass(frozen=True)
class Scored:
    """`cuts` are by the moment of the snapshot. Every change after it was read as well."""

    true: list[TrueEvent]
    snapshot: Judgement
    changes: Judgement
    cuts: Mapping[str, Judgement]
