"""How the tests' broker is set up: small, and quick to do what takes minutes elsewhere."""

from __future__ import annotations

PASSWORDS = {"cutline": "correct-horse-7", "reader": "look-only-7"}
"""Who may sign in at the SASL listener: `cutline` may do everything, `reader` what ACLs allow."""

LISTENERS = ("PLAINTEXT", "SASL_PLAINTEXT", "SSL")
"""Those for clients; each is called as the protocol that it speaks."""

_USERS = " ".join(f'user_{name}="{password}"' for name, password in PASSWORDS.items())
PROPERTIES = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": ",".join(
        ["CONTROLLER:PLAINTEXT", *(f"{name}:{name}" for name in LISTENERS)]
    ),
    "ssl.keystore.type": "PEM",
    "sasl.enabled.mechanisms": "PLAIN",
    "listener.name.sasl_plaintext.plain.sasl.jaas.config": "org.apache.kafka.common.security.plain"
    f".PlainLoginModule required {_USERS};",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS;User:cutline",
    "auto.create.topics.enable": "false",
    "num.partitions": "1",
    # After a kill a broker waits until its older self has timed out.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "group.initial.rebalance.delay.ms": "0",
    # One broker keeps what Kafka keeps for itself.
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "4",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # What takes minutes elsewhere can be waited for.
    "log.retention.check.interval.ms": "1000",
    "log.initial.task.delay.ms": "1000",
    "log.segment.delete.delay.ms": "500",
    "log.cleaner.backoff.ms": "1000",
    "log.cleaner.dedupe.buffer.size": "8388608",
}

LOG_OPTION = "-Dlog4j2.configurationFile=log4j2.properties"
LOGGING = """\
status=error
rootLogger.level=warn
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d{HH:mm:ss.SSS} %p %c{1}: %m%n
"""
"""Kafka's and Connect's log, to standard output: what went wrong, and nothing else."""
