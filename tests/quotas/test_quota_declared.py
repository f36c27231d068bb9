"""Which quotas a project asks for, of which clients, and what cannot be set from here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.quotas import (
    declared_quotas,
    every_quota,
    job_settings,
    refuse_unset,
    rehearsal_job,
    slice_job,
    source_settings,
)
from cutline.quotas.entity import QuotaEntity
from support.client_quotas import BOTH_RATES, CONSUMER, PRODUCER, quota_project
from support.command_line import CommandLine
from support.replaying import shop_document

KAFKA = {"bootstrap": "target:9092"}
SIGNED_IN = {
    **{"protocol": "SASL_PLAINTEXT", "mechanism": "SCRAM-SHA-512", "username": "cutline"},
    "password": "${file:password}",
}


def replays(**kafka: Any) -> dict[str, Any]:
    source = {"topics": ["shop.orders"], **({"kafka": kafka} if kafka else {})}
    return {"orders": {"source": source, "destinations": {"again": {"owner": "desk"}}}}


def client_ids(project: LoadedProject) -> tuple[str | None, str | None]:
    """Of the clients that send a replay, and of those that read its source."""
    replay = project.file.replays["orders"]
    connection = replay.source.kafka or project.file.topics.kafka  # type: ignore[union-attr]
    reading = source_settings(project, replay, connection, "again")
    return job_settings(project, "again").plain.get("client.id"), reading.plain.get("client.id")


def test_without_quotas_clients_are_called_as_ever(tmp_path: Path) -> None:
    project = quota_project(tmp_path, KAFKA, replays=replays())
    assert declared_quotas(project, "again", project.file.replays["orders"], "k") == []
    assert client_ids(project) == (None, None)


def test_a_source_beside_the_target_shares_its_quota(tmp_path: Path) -> None:
    project = quota_project(
        tmp_path, KAFKA, {**BOTH_RATES, "user": "CN=cutline"}, replays=replays()
    )
    [quota] = declared_quotas(project, "again", project.file.replays["orders"], "replays.orders")
    assert (quota.key, quota.rates) == ("topics.quotas", BOTH_RATES)
    assert quota.entity == QuotaEntity("cutline.again", "CN=cutline")
    assert client_ids(project) == ("cutline.again", "cutline.again")


def test_a_source_elsewhere_has_its_own_or_none(tmp_path: Path) -> None:
    elsewhere = {"bootstrap": "live:9092"}
    project = quota_project(tmp_path, KAFKA, {PRODUCER: 5}, replays=replays(**elsewhere))
    replay = project.file.replays["orders"]
    assert [q.key for q in declared_quotas(project, "again", replay, "k")] == ["topics.quotas"]
    assert client_ids(project) == ("cutline.again", None)
    (tmp_path / "password").write_text("correct-horse-7")
    source_kafka = {**elsewhere, "security": SIGNED_IN, "quotas": {CONSUMER: 200_000}}
    project = quota_project(tmp_path, KAFKA, None, replays=replays(**source_kafka))
    replay = project.file.replays["orders"]
    [quota] = declared_quotas(project, "again", replay, "replays.orders")
    assert quota.key == "replays.orders.source.kafka.quotas"
    assert quota.entity == QuotaEntity("cutline.again.source", "cutline")
    assert (quota.rates, quota.settings.bootstrap) == ({CONSUMER: 200_000}, "live:9092")
    assert client_ids(project) == (None, "cutline.again.source")
    assert "correct-horse-7" not in repr(quota)


def test_a_target_elsewhere_has_its_own_and_the_source_is_read_under_that_of_the_project(
    tmp_path: Path,
) -> None:
    target_topics = {
        "kafka": {"bootstrap": "there:9092"},
        "prefix": "again",
        "quotas": {PRODUCER: 7},
    }
    declared = replays()
    declared["orders"]["destinations"]["again"]["topics"] = target_topics
    project = quota_project(tmp_path, KAFKA, BOTH_RATES, replays=declared)
    replay = project.file.replays["orders"]
    read, sent = declared_quotas(project, "again", replay, "replays.orders")
    assert (read.key, read.settings.bootstrap) == ("topics.quotas", "target:9092")
    assert (read.entity.client_id, read.rates) == (
        "cutline.again.source",
        {CONSUMER: BOTH_RATES[CONSUMER]},
    )
    assert sent.key == "replays.orders.destinations.again.topics.quotas"
    assert (sent.entity.client_id, sent.settings.bootstrap) == ("cutline.again", "there:9092")
    assert sent.rates == {PRODUCER: 7}
    assert [quota.key for quota in every_quota(project)] == [read.key, sent.key]
    target = project.with_topics_of(replay.destinations["again"].topics)
    assert job_settings(target, "again").plain["client.id"] == "cutline.again"
    assert client_ids(project)[1] == "cutline.again.source"
    # Without a limit on reading the source is read as ever.
    project = quota_project(tmp_path, KAFKA, {PRODUCER: 5}, replays=declared)
    [sent] = declared_quotas(project, "again", project.file.replays["orders"], "replays.orders")
    assert sent.settings.bootstrap == "there:9092"
    assert client_ids(project)[1] is None


def test_a_look_at_a_source_is_no_job(tmp_path: Path) -> None:
    project = quota_project(tmp_path, KAFKA, BOTH_RATES, replays=replays())
    topics, replay = project.file.topics, project.file.replays["orders"]
    assert topics.kind == "kafka"
    assert "client.id" not in source_settings(project, replay, topics.kafka, None).plain


def test_a_slice_and_its_rehearsal_are_two_jobs(tmp_path: Path) -> None:
    project = quota_project(tmp_path, KAFKA, BOTH_RATES)
    assert slice_job(project, "desk", "north") == "shop.desk.north"
    assert rehearsal_job(project, "desk", "north") == "shop.desk.north.rehearsal"


def test_what_cannot_be_set_is_said_by_check_and_before_any_work(
    tmp_path: Path, command_line: CommandLine
) -> None:
    client = {"ssl.cipher.suites": "ECDHE"}
    project = quota_project(tmp_path, {**KAFKA, "client": client}, BOTH_RATES, replays=replays())
    with pytest.raises(ConfigurationError, match=r"topics\.quotas: .* ssl\.cipher"):
        refuse_unset(every_quota(project))
    checked = command_line("check", "--project", tmp_path)
    assert "which has no `client` with ssl.cipher.suites" in checked.stdout + checked.stderr
    assert checked.returncode == 2
    dry_run = command_line("replay", "orders", "--to", "again", "--dry-run", "--project", tmp_path)
    assert dry_run.returncode == 2
    assert "ssl.cipher.suites" in dry_run.stderr
    # Without quotas the same project is in order.
    refuse_unset(every_quota(quota_project(tmp_path, {**KAFKA, "client": client})))


def test_projects_on_files_have_none(tmp_path: Path, command_line: CommandLine) -> None:
    import yaml

    (tmp_path / "cutline.yaml").write_text(yaml.safe_dump(shop_document()))
    shown = command_line("quotas", "--json", "--project", tmp_path)
    assert (shown.returncode, shown.stdout.strip()) == (0, "[]")
    assert not list(tmp_path.glob("*.db"))
