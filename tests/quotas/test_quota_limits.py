"""A client quota stands on a broker as long as a job works, and nobody else's is touched."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

from cutline.control import Control
from cutline.errors import ConfigurationError, RunFailed, SliceBusy
from cutline.project import LoadedProject
from cutline.quotas import admin as admin_module
from cutline.quotas import limited, limiting, quotas_of, remove_left
from cutline.quotas import removing as removing_module
from cutline.quotas.admin import QuotaAdmin
from support.client_quotas import (
    BOTH_RATES,
    CONSUMER,
    PRODUCER,
    by_kafkas_tool,
    control_of,
    only_quota,
    quota_project,
    set_rates,
    standing,
)
from support.forked import exit_code_of
from support.ports import free_port
from support.published import bootstrap, new_name
from support.servers.kafka import KafkaBroker, start_kafka
from support.servers.kafka_settings import PASSWORDS

pytestmark = pytest.mark.kafka


class Job:
    """A job of a project under its quota; `says` is what people were told."""

    def __init__(self, project: LoadedProject, name: str | None = None) -> None:
        self.project, self.control = project, control_of(project)
        self.name = name or new_name("job")
        self.client_id = f"cutline.{self.name}"
        self.says: list[str] = []

    def limited(self) -> Any:
        quotas = [only_quota(self.project, self.name)]
        return limited(self.project, self.control, quotas, self.says.append)

    def work(self, act: Callable[[], object] = lambda: None) -> None:
        with self.limited():
            act()


@pytest.fixture
def job(kafka_broker: KafkaBroker, tmp_path: Path) -> Job:
    return Job(quota_project(tmp_path, {"bootstrap": kafka_broker.bootstrap}, BOTH_RATES))


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(
    job: Job,
    when: Callable[[pytest.MonkeyPatch], None] | None = None,
    act: Callable[[], None] = kill,
) -> None:
    """A process that works under the quota and is ended by SIGKILL, there or `when` that says."""

    def work() -> None:
        with pytest.MonkeyPatch.context() as patch:
            if when is not None:
                when(patch)
            job.work(act)

    assert exit_code_of(work) == -signal.SIGKILL


def test_it_stands_while_the_job_works_and_is_gone_behind_it(
    job: Job, kafka_broker: KafkaBroker
) -> None:
    with job.limited():
        assert by_kafkas_tool(kafka_broker, job.client_id) == BOTH_RATES
        [status] = quotas_of(job.control)
        assert (status.quota.client_id, status.quota.rates) == (job.client_id, BOTH_RATES)
        assert status.holder is not None
        assert status.holder.pid == os.getpid()
    assert by_kafkas_tool(kafka_broker, job.client_id) == {}
    assert quotas_of(job.control) == []
    assert job.says == [
        f"client quota of client id {job.client_id}, of each broker: "
        "producer_byte_rate 1,000,000 and consumer_byte_rate 2,000,000 bytes a second"
    ]


@pytest.mark.parametrize("error", [RunFailed("no"), KeyboardInterrupt(), ValueError("x")])
def test_it_is_gone_also_behind_a_failure(
    job: Job, kafka_broker: KafkaBroker, error: BaseException
) -> None:
    def fail() -> None:
        assert standing(bootstrap(kafka_broker), job.client_id) == BOTH_RATES
        raise error

    with pytest.raises(type(error)):
        job.work(fail)
    assert standing(bootstrap(kafka_broker), job.client_id) == {}
    assert quotas_of(job.control) == []


def test_what_a_killed_process_left_the_next_job_removes(
    job: Job, kafka_broker: KafkaBroker
) -> None:
    settings = bootstrap(kafka_broker)
    killed(job)
    assert standing(settings, job.client_id) == BOTH_RATES
    [status] = quotas_of(job.control)
    assert status.holder is None
    # Another job of the project, of which nobody declares a quota any more.
    later: list[str] = []
    with limited(job.project, job.control, [], later.append):
        assert standing(settings, job.client_id) == {}
    assert later == [f"removed the client quota that an ended process left on {job.client_id}"]
    assert quotas_of(job.control) == []


def test_the_same_job_goes_on_under_a_quota_that_was_declared_anew(
    job: Job, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    settings, fewer = bootstrap(kafka_broker), {PRODUCER: 5_000}
    killed(job)
    changed = quota_project(tmp_path, {"bootstrap": kafka_broker.bootstrap}, fewer)
    again = Job(changed, job.name)
    again.work(lambda: pytest.fail("no") if standing(settings, job.client_id) != fewer else None)
    assert standing(settings, job.client_id) == {}


def kill_before_set(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(QuotaAdmin, "change", lambda *_: os.kill(os.getpid(), signal.SIGKILL))


def kill_before_read_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(QuotaAdmin, "wait", lambda *_: os.kill(os.getpid(), signal.SIGKILL))


@pytest.mark.parametrize("when", [kill_before_set, kill_before_read_back])
def test_killed_around_the_moment_when_it_is_set(
    job: Job, kafka_broker: KafkaBroker, when: Callable[[pytest.MonkeyPatch], None]
) -> None:
    killed(job, when)
    [status] = quotas_of(job.control)
    assert [q.client_id for q in remove_left(job.project, job.control, job.says.append)] == [
        status.quota.client_id
    ]
    assert standing(bootstrap(kafka_broker), job.client_id) == {}
    assert quotas_of(job.control) == []


def test_killed_when_it_had_removed_it(job: Job, kafka_broker: KafkaBroker) -> None:
    def kill_before_forgetting(patch: pytest.MonkeyPatch) -> None:
        kill_now = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731
        patch.setattr(Control, "forget_client_quota", kill_now)

    killed(job, kill_before_forgetting, act=lambda: None)
    assert standing(bootstrap(kafka_broker), job.client_id) == {}
    assert len(quotas_of(job.control)) == 1
    job.work()
    assert quotas_of(job.control) == []


def test_two_jobs_at_once_leave_each_other_alone(job: Job, kafka_broker: KafkaBroker) -> None:
    settings, other_job = bootstrap(kafka_broker), Job(job.project)
    with job.limited():
        with other_job.limited():
            assert standing(settings, other_job.client_id) == BOTH_RATES
        assert standing(settings, other_job.client_id) == {}
        assert standing(settings, job.client_id) == BOTH_RATES
        assert remove_left(job.project, job.control, job.says.append) == []
        assert standing(settings, job.client_id) == BOTH_RATES
    assert standing(settings, job.client_id) == {}


def test_one_job_is_not_done_by_two_processes(
    job: Job, kafka_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiting, "_TURN_SECONDS", 0.5)
    with job.limited():
        with pytest.raises(SliceBusy):
            job.work()
        assert standing(bootstrap(kafka_broker), job.client_id) == BOTH_RATES


def test_a_stricter_quota_of_somebody_else_stands_in(job: Job, kafka_broker: KafkaBroker) -> None:
    settings = bootstrap(kafka_broker)
    set_rates(settings, job.client_id, {PRODUCER: 500_000})
    job.work(lambda: job.says.append(str(sorted(standing(settings, job.client_id).items()))))
    assert job.says == [
        f"client id {job.client_id} has a client quota that Cutline did not set, and keeps it: "
        "producer_byte_rate 500,000",
        f"client quota of client id {job.client_id}, of each broker: consumer_byte_rate 2,000,000 "
        "bytes a second",
        str([(CONSUMER, 2_000_000.0), (PRODUCER, 500_000.0)]),
    ]
    assert standing(settings, job.client_id) == {PRODUCER: 500_000}


def test_where_all_of_it_is_somebody_elses_nothing_is_set(
    job: Job, kafka_broker: KafkaBroker
) -> None:
    settings = bootstrap(kafka_broker)
    set_rates(settings, job.client_id, BOTH_RATES)
    job.work(lambda: job.says.append(str(len(quotas_of(job.control)))))
    assert job.says[1:] == ["0"]
    assert standing(settings, job.client_id) == BOTH_RATES


def test_a_looser_quota_of_somebody_else_is_a_reason_to_refuse(
    job: Job, kafka_broker: KafkaBroker
) -> None:
    settings, looser = bootstrap(kafka_broker), {PRODUCER: 3_000_000}
    set_rates(settings, job.client_id, looser)
    with pytest.raises(ConfigurationError, match=r"producer_byte_rate 3,000,000, not") as refused:
        job.work(lambda: pytest.fail("it began"))
    assert job.client_id in refused.value.what
    assert refused.value.left_behind == "Nothing was sent. The quota is as it was."
    assert standing(settings, job.client_id) == looser
    assert quotas_of(job.control) == []


def test_what_somebody_changed_meanwhile_stays(job: Job, kafka_broker: KafkaBroker) -> None:
    settings, theirs = bootstrap(kafka_broker), {PRODUCER: 7_000}
    job.work(lambda: set_rates(settings, job.client_id, theirs))
    assert standing(settings, job.client_id) == theirs
    assert "somebody changed its quota meanwhile, and it stays" in job.says[-1]
    assert quotas_of(job.control) == []
    # The same of one that a killed process left: nothing removes what is not as it was recorded.
    again = Job(job.project)
    killed(again)
    set_rates(settings, again.client_id, theirs)
    again.says.clear()
    remove_left(again.project, again.control, again.says.append)
    assert "somebody changed its quota since" in again.says[0]
    assert standing(settings, again.client_id) == theirs


def test_a_user_that_signs_in_has_the_more_specific_quota(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    signed_in = {
        **{"protocol": "SASL_PLAINTEXT", "mechanism": "PLAIN", "username": "cutline"},
        "password": "${PW_OF_CUTLINE}",
    }
    kafka = {"bootstrap": kafka_broker.sasl_bootstrap, "security": signed_in}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PW_OF_CUTLINE", PASSWORDS["cutline"])
        job, settings = Job(quota_project(tmp_path, kafka, BOTH_RATES)), bootstrap(kafka_broker)
        with job.limited():
            assert standing(settings, job.client_id, "cutline") == BOTH_RATES
            assert standing(settings, job.client_id) == {}
        assert standing(settings, job.client_id, "cutline") == {}
    assert f"of client id {job.client_id} of user cutline" in job.says[0]


def test_by_tls(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    kafka = {
        "bootstrap": kafka_broker.tls_bootstrap,
        "security": {"protocol": "SSL", "ca": str(kafka_broker.certificate)},
    }
    job = Job(quota_project(tmp_path, kafka, {**BOTH_RATES, "user": "ANONYMOUS"}))
    with job.limited():
        assert standing(bootstrap(kafka_broker), job.client_id, "ANONYMOUS") == BOTH_RATES
    assert standing(bootstrap(kafka_broker), job.client_id, "ANONYMOUS") == {}


@pytest.mark.parametrize("may_look", [False, True])
def test_who_may_not_set_quotas(tmp_path: Path, may_look: bool) -> None:
    broker = start_kafka()
    try:
        if may_look:
            by_hand = broker.admin()
            granted = AclBinding(
                *(ResourceType.BROKER, "kafka-cluster", ResourcePatternType.LITERAL),
                *("User:reader", "*", AclOperation.DESCRIBE_CONFIGS, AclPermissionType.ALLOW),
            )
            by_hand.create_acls([granted])[granted].result(30)
        security = {
            **{"protocol": "SASL_PLAINTEXT", "mechanism": "PLAIN", "username": "reader"},
            "password": "${PW_OF_READER}",
        }
        kafka = {"bootstrap": broker.sasl_bootstrap, "security": security}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PW_OF_READER", PASSWORDS["reader"])
            job = Job(quota_project(tmp_path, kafka, BOTH_RATES))
            with pytest.raises(ConfigurationError, match="grants no right to client quotas") as no:
                job.work(lambda: pytest.fail("it began"))
        assert "Grant AlterConfigs and DescribeConfigs on the cluster" in no.value.next_step
        assert no.value.left_behind == "Nothing was sent."
        assert quotas_of(job.control) == []
    finally:
        broker.folder.close()


def test_wrong_credentials(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    security = {
        **{"protocol": "SASL_PLAINTEXT", "mechanism": "PLAIN", "username": "cutline"},
        "password": "${PW_WRONG}",
    }
    kafka = {"bootstrap": kafka_broker.sasl_bootstrap, "security": security}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PW_WRONG", "wrong-horse-7")
        job = Job(quota_project(tmp_path, kafka, BOTH_RATES))
        with pytest.raises(ConfigurationError, match="does not accept the credentials") as refused:
            job.work()
    assert "wrong-horse-7" not in str(refused.value)


def test_a_broker_of_before_client_quotas(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    translated = admin_module.library_settings
    monkeypatch.setattr(
        admin_module,
        "library_settings",
        lambda settings, key: {**translated(settings, key), "api_version": (2, 5)},
    )
    with pytest.raises(ConfigurationError, match="is too old to be asked for client quotas"):
        job.work(lambda: pytest.fail("it began"))
    assert quotas_of(job.control) == []


def test_no_broker_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "_FIRST_ANSWER_MS", 1_000)
    nobody = f"127.0.0.1:{free_port()}"
    project = quota_project(tmp_path, {"bootstrap": nobody}, BOTH_RATES)
    settings = only_quota(project, "orders").settings
    with pytest.raises(RunFailed, match="does not answer, asked for client quotas") as failed:
        standing(settings, "x")
    assert nobody in failed.value.what


def test_a_broker_that_goes_away_leaves_the_quota_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_module, "_FIRST_ANSWER_MS", 2_000)
    broker = start_kafka()
    try:
        job = Job(quota_project(tmp_path, {"bootstrap": broker.bootstrap}, BOTH_RATES))
        job.work(broker.process.kill)
        assert "is still there" in job.says[-1]
        assert "cutline quotas --clean" in job.says[-1]
        [status] = quotas_of(job.control)
        broker.process.start()
        assert standing(bootstrap(broker), job.client_id) == BOTH_RATES
        assert remove_left(job.project, job.control, job.says.append) == [status.quota]
        assert standing(bootstrap(broker), job.client_id) == {}
    finally:
        broker.folder.close()


def test_who_lost_the_lease_removes_nothing_of_its_successor(
    job: Job, kafka_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken_over() -> None:
        # As another process does whose predecessor was silent for too long.
        with job.control.database.write() as connection:
            connection.exec_driver_sql(
                "UPDATE cutline_slices SET epoch = epoch + 1 WHERE context = 'quota:'"
            )

    job.work(taken_over)
    assert standing(bootstrap(kafka_broker), job.client_id) == BOTH_RATES
    assert "is still there" in job.says[-1]
    assert removing_module.entity_of(quotas_of(job.control)[0].quota).client_id == job.client_id


def test_quotas_on_another_cluster_stay_recorded(
    job: Job, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    killed(job)
    [status] = quotas_of(job.control)
    unnamed = quota_project(tmp_path / "other", {"bootstrap": kafka_broker.bootstrap})
    with job.control.database.write() as connection:
        connection.exec_driver_sql("UPDATE cutline_client_quotas SET cluster = 'elsewhere'")
    assert remove_left(unnamed, job.control, job.says.append) == []
    assert job.says[-1].endswith("it is on cluster elsewhere, which cutline.yaml does not name")
    assert [s.quota.cluster for s in quotas_of(job.control)] == ["elsewhere"]
    with job.control.database.write() as connection:
        connection.exec_driver_sql(
            "UPDATE cutline_client_quotas SET cluster = ?", (status.quota.cluster,)
        )
    assert remove_left(unnamed, job.control, job.says.append) == [status.quota]
