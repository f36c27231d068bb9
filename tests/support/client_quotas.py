"""Client quotas in tests: projects whose jobs set them, and what a broker has, by Kafka's own tool."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from cutline.control import Control
from cutline.kafka import ClientSettings
from cutline.project import LoadedProject, load
from cutline.quotas import DeclaredQuota, declared_quotas
from cutline.quotas.admin import QuotaAdmin
from cutline.quotas.entity import QuotaEntity
from support.replaying import shop_document
from support.servers.java import java
from support.servers.kafka import KafkaBroker
from support.servers.maven import jars

PRODUCER, CONSUMER = "producer_byte_rate", "consumer_byte_rate"
BOTH_RATES = {PRODUCER: 1_000_000, CONSUMER: 2_000_000}


def quota_project(
    folder: Path,
    kafka: Mapping[str, Any],
    quotas: Mapping[str, Any] | None = None,
    **sections: Any,
) -> LoadedProject:
    """A project on a cluster, with quotas or without."""
    topics = {"kind": "kafka", "prefix": "shop", "kafka": dict(kafka)}
    if quotas is not None:
        topics["quotas"] = dict(quotas)
    document = shop_document(topics=topics, **sections)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return load(folder)


def control_of(project: LoadedProject) -> Control:
    """Its control database, which is made where it is not there."""
    return Control.open(project.file.control, project.folder)


def only_quota(project: LoadedProject, job: str) -> DeclaredQuota:
    """The one that a job of the project asks for."""
    [quota] = declared_quotas(project, job)
    return quota


def standing(settings: ClientSettings, client_id: str, user: str | None = None) -> dict[str, float]:
    """The rates that brokers have of these clients."""
    with QuotaAdmin(settings, "topics.quotas", "Nothing was changed.") as admin:
        return admin.rates(QuotaEntity(client_id, user))


def set_rates(
    settings: ClientSettings,
    client_id: str,
    rates: Mapping[str, int | None],
    user: str | None = None,
) -> None:
    """Set rates as somebody else, and wait until brokers have them; null removes one."""
    entity = QuotaEntity(client_id, user)
    with QuotaAdmin(settings, "topics.quotas", "Nothing was changed.") as admin:
        admin.change(entity, rates)
        admin.wait(entity, rates)


def by_kafkas_tool(broker: KafkaBroker, client_id: str) -> dict[str, float]:
    """The quota of a client id as `kafka-configs` describes it."""
    command = [
        *(str(java()), "-cp", f"{jars('kafka')}/*", "kafka.admin.ConfigCommand"),
        *("--bootstrap-server", broker.bootstrap, "--describe"),
        *("--entity-type", "clients", "--entity-name", client_id),
    ]
    described = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    pairs = re.findall(r"(\w+_byte_rate)=([\d.]+)", described)
    return {name: float(rate) for name, rate in pairs}
