"""The desk: its legacy with the denial of docs/rollout.md, and a project over it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import yaml

from support.paths import ROOT
from support.servers.debezium import Debezium
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

CONTEXT, REGIONS = "desk", ("west", "east")
_PAGE = (ROOT / "docs" / "rollout.md").read_text(encoding="utf-8")
_TABLES = """
CREATE TABLE orders (
    no text PRIMARY KEY, region text NOT NULL, buyer text NOT NULL, item text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
DO $$BEGIN CREATE ROLE reverse_feed; EXCEPTION WHEN duplicate_object THEN END$$;
GRANT SELECT, INSERT ON orders TO reverse_feed;
"""


@dataclass(frozen=True)
class Desk:
    """A project folder, the legacy's database, and that of everything new."""

    folder: Path
    server: PostgresServer
    broker: KafkaBroker
    legacy: str
    new: str
    prefix: str

    @property
    def legacy_url(self) -> str:
        """The legacy's database."""
        return self.server.url(self.legacy)

    @property
    def new_url(self) -> str:
        """The database of the control tables, the read model, and the new side's own orders."""
        return self.server.url(self.new)

    @property
    def live_topic(self) -> str:
        """Where the new side's events are."""
        return f"{self.prefix}.{CONTEXT}.order.live"

    @classmethod
    def open(
        cls,
        folder: Path,
        server: PostgresServer,
        broker: KafkaBroker,
        debezium: Debezium,
        prefix: str,
        **spark: Any,
    ) -> Desk:
        """Three orders in each region, a connector that streams, and the project's file."""
        desk = cls(*(folder, server, broker, debezium.database, server.create_database(), prefix))
        with psycopg.connect(desk.legacy_url, autocommit=True) as legacy:
            legacy.execute(_TABLES)
            legacy.execute(_block("sql").encode())
            for region in REGIONS:
                for number in range(3):
                    row = (f"{region}-old-{number}", region, "Ann", "tea")
                    legacy.execute(
                        "INSERT INTO orders (no, region, buyer, item) VALUES (%s, %s, %s, %s)", row
                    )
        connector = debezium.connector(
            ["public.orders"], message_prefix_exclude_list="caught-up,cutline"
        )
        broker.create_topic(desk.live_topic, 2)
        folder.mkdir()
        (folder / "password").write_text(server.password)
        document = desk._document(connector.name, connector.topic("orders"))
        if spark:
            document["spark"] = spark
        (folder / "cutline.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
        return desk

    def _document(self, slot: str, topic: str) -> dict[str, Any]:
        def url(database: str) -> str:
            address = f"127.0.0.1:{self.server.port}/{database}"
            return f"postgresql://{self.server.user}:${{file:password}}@{address}"

        kafka = {"bootstrap": self.broker.bootstrap}
        rollout: dict[str, Any] = yaml.safe_load(_block("yaml"))["rollout"]
        rollout["legacy_writes"] |= {
            "url": url(self.legacy),
            "drained": str(rollout["legacy_writes"]["drained"]).replace("'cutline'", f"'{slot}'"),
        }
        rollout["reverse_feed"] = {
            "url": url(self.new),
            "ready": "SELECT running FROM reverse_feed",
            "drained": "SELECT count(*) = 0 FROM new_orders WHERE NOT fed",
        }
        rollout["read_model"] = {"url": url(self.new)}
        changes: Mapping[str, Any] = {
            "kind": "debezium",
            "topics": [topic],
            "snapshot": {"policy": "in-log"},
            "kafka": kafka,
        }
        return {
            "version": 1,
            "name": "order-desk",
            "control": url(self.new),
            "topics": {"kind": "kafka", "prefix": self.prefix, "partitions": 2, "kafka": kafka},
            "sources": {
                "shop": {
                    "kind": "log",
                    "truth": url(self.legacy),
                    "tables": {"orders": {"region": "region = :region"}},
                    "changes": changes,
                }
            },
            "regions": {region: {} for region in REGIONS},
            "contexts": {
                CONTEXT: {
                    "translation": {"use": "order-desk", "major": 1},
                    # Until then all is history. Events are recorded as of the cut, and a broker
                    # refuses records that are dated more than an hour ahead.
                    "cut": {"policy": "commit-timestamp", "at": _ahead(minutes=50)},
                    "live": {"aggregates": ["order"]},
                    "reconcile": {"until": "read"},
                    "gates": {
                        "owed": {"max_count": 2_000, "reason": "They go on.", "owner": "desk"}
                    },
                }
            },
            "rollout": rollout,
        }


def _ahead(minutes: int) -> str:
    moment = dt.datetime.now(dt.UTC) + dt.timedelta(minutes=minutes)
    return moment.isoformat(timespec="seconds")


def _block(language: str) -> str:
    """The one block of the page in a language."""
    (text,) = re.findall(rf"^```{language}\n(.*?)^```", _PAGE, re.MULTILINE | re.DOTALL)
    return str(text)
