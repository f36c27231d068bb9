"""Which looked-up tables are sound: their lookups need not ask whether a row was quarantined."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from cutline.engine.translate import Inputs, quarantined_tables
from cutline.translator.translator import Translator


def with_sound_tables(translators: Sequence[type[Translator]], inputs: Inputs) -> Inputs:
    """The inputs, with `all_sound` of each looked-up table that has no quarantined change.

    One Spark job for all of them; none where nothing is looked up.
    """
    looked_up = dict.fromkeys(k.contract for t in translators for k in t.lookups.values())
    if not looked_up:
        return inputs
    rows = quarantined_tables(looked_up, inputs).collect()
    quarantined = {(row["source"], row["table"]) for row in rows}
    sound = {c for c in looked_up if (c.source(), c.table()) not in quarantined}
    return {
        contract: dataclasses.replace(table_changes, all_sound=contract in sound)
        for contract, table_changes in inputs.items()
    }
