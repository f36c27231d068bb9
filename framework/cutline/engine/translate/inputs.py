"""The inputs of a translator: the changes of each source table that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from cutline.cut import CutLines
from cutline.engine.compose import passenger_parts
from cutline.engine.restore import ChangeFeatures
from cutline.translator.contract import SourceContract
from cutline.translator.translator import Translator


@dataclass(frozen=True)
class Changes:
    """The changes of one source table, as a translator reads them."""

    frame: DataFrame
    lines: CutLines = field(default_factory=CutLines)
    """The cut lines in its source's log; without one of a snapshot all rows are snapshot rows."""
    features: ChangeFeatures = field(default_factory=ChangeFeatures)
    """What the extract saw in them."""
    all_sound: bool = False
    """Whether it is sure that none of them is quarantined: what looks them up has a shorter plan.

    Only `with_sound_tables` says so; without it lookups take care of what may be quarantined.
    """

    @property
    def changing(self) -> bool:
        """Whether the source has changes beside its snapshot."""
        return self.lines.snapshot is not None


Inputs = Mapping[type[SourceContract], Changes]


def has_changes(translator: type[Translator], inputs: Inputs) -> bool:
    """Whether the source of a part or passenger has changes beside its snapshot."""
    read = {**translator.parts, **passenger_parts(translator)}
    return any(inputs[part.contract].changing for part in read.values())


def rereading_sources(translator: type[Translator], inputs: Inputs) -> list[str]:
    """The names of the sources whose rows may change before they are first read."""
    lines = {
        part.contract.source(): inputs[part.contract].lines for part in translator.parts.values()
    }
    return [name for name, line in lines.items() if line.snapshot and line.snapshot.rereads]
