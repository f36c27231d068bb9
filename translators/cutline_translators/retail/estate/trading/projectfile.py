"""The cutline.yaml of the retailer on servers: that of its files, but for ERP and topics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from cutline.sample import LivePlaces
from cutline_translators.estate.projectfile import NAME, replace_file
from cutline_translators.retail.live import LIVE_NAME
from cutline_translators.retail.on_servers import PARTITIONS, TABLES

_HEAD = """\
# The sample retailer while it trades: its ERP is in PostgreSQL behind Debezium, topics are on
# Kafka. The other legacy systems are files, as they were extracted.
"""
_OWED = {
    "max_count": 100_000,
    "reason": "Orders move while runs are made; the next run compares what moved.",
    "owner": "order-desk",
}
_UNFINISHED = {
    "rule": "transaction-unfinished",
    "max_rate": 0.01,
    "reason": "A transaction that was on its way to Kafka when the run looked; the next has it.",
    "owner": "erp-operations",
}
_TORN = {
    "rule": "invalid-native-payload",
    "max_rate": 0.001,
    "reason": "One record was cut off when the new producer was restarted; it was sent again.",
    "owner": "fulfilment-team",
}
_ONLY_IN_FILES = "unreadable-native-event"


def write_live_project(folder: Path, places: LivePlaces) -> None:
    """Lay the servers over the cutline.yaml that the estate has written into the folder."""
    path = folder / NAME
    document: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    kafka = {"bootstrap": places.bootstrap}
    document["name"] = "retail-live"
    document["topics"] = {
        "kind": "kafka",
        "prefix": places.name,
        "partitions": PARTITIONS,
        "kafka": kafka,
    }
    sources = document["sources"]
    sources["erp"] = {
        "kind": "postgresql",
        "url": places.url,
        "schema": "erp",
        "slot": places.name,
        "tables": sources["erp"]["tables"],
        "changes": {
            "kind": "debezium",
            "topics": [f"{places.name}.{table}" for table in TABLES],
            "transactions": f"{places.name}.transaction",
            "snapshot": {"policy": "transaction-visibility"},
            "kafka": dict(kafka),
        },
    }
    # The ERP's screens ask the shop about money: its copy in the same database is asked for truth.
    sources["shop"]["truth"] = places.url
    context = document["contexts"]["fulfilment"]
    context["translation"]["use"] = LIVE_NAME
    context["cut"]["at"] = places.cut.isoformat().replace("+00:00", "Z")
    context["reconcile"] = {"until": "read"}
    context["gates"]["owed"] = _OWED
    accepted = context["gates"]["accept"]
    in_files = [entry for entry in accepted if entry["rule"] != _ONLY_IN_FILES]
    context["gates"]["accept"] = [*in_files, _TORN, _UNFINISHED]
    text = yaml.safe_dump(_plain(document), sort_keys=False, allow_unicode=True, width=100)
    replace_file(path, _HEAD + text)


def _plain(value: Any) -> Any:
    """The value with moments as texts, as YAML reads some by itself."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.isoformat().replace("+00:00", "Z") if hasattr(value, "isoformat") else value
