"""The estate's own native events: of orders that its new side took beside the ERP."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

from cutline_translators.estate.moments import CUT
from cutline_translators.retail.estate.trading.native import NativeProducer
from cutline_translators.retail.on_servers import LIVE_TOPICS

_PREFIX = "retail"


def tell_overlap(native: NativeProducer, folder: Path) -> None:
    """Send what the estate in the folder has on its live topics up to its cut, by time.

    Later events are of orders that its ERP does not have. A record that was cut off is sent so.
    """
    for topic in LIVE_TOPICS:
        aggregate = topic.split(".")[1]
        records = []
        for file in sorted((folder / "topics" / f"{_PREFIX}.{topic}").glob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                except ValueError:
                    native.tell_torn("SO-00000001", "eu-west")
                    continue
                if dt.datetime.fromisoformat(record["timestamp"]).timestamp() <= CUT:
                    records.append(record)
        for record in sorted(records, key=lambda record: str(record["timestamp"])):
            native.send_again(aggregate, record["key"], record["headers"], record["value"])
