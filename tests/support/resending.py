"""Where subjects of the demo may be sent again."""

from __future__ import annotations

from pathlib import Path

import yaml

TOPIC = "orders.repair"


def declare_resends(folder: Path) -> None:
    """Let a project's cutline.yaml say that the order desk answers for TOPIC."""
    config = folder / "cutline.yaml"
    section = {"fulfilment": {"destinations": {TOPIC: {"owner": "Order desk"}}}}
    document = yaml.safe_load(config.read_text(encoding="utf-8")) | {"resends": section}
    config.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
