"""A session that does not start: Java, the heap, the master."""

from __future__ import annotations

import re

from cutline.spark.causes.cause import SparkCause
from cutline.spark.causes.setup import SparkSetup
from cutline.spark.gateway import last_words

_EXITED = "JAVA_GATEWAY_EXITED"
_NO_JAVA = re.compile(r"JAVA_HOME is not set|bin/java: No such file|java: (?:command )?not found")
_NO_SHELL = re.compile(r"env: .bash.: No such file")
_TOO_OLD = re.compile(r"UnsupportedClassVersionError|class file version|Unrecognized option: --add")
_NO_HEAP = re.compile(
    r"Could not reserve enough space|Invalid maximum heap size|insufficient memory for the Java|"
    r"Too small (?:maximum|initial) heap|Cannot allocate memory"
)
_BAD_MASTER = re.compile(r"Master must either be|Could not parse Master URL|Invalid master URL")
_NO_MASTER = re.compile(
    r"All masters are unresponsive|KubernetesClientException|"
    r"Cannot call methods on a stopped SparkContext|UnknownHostException|"
    r"Failed to connect to master \S+"
)
_ERROR_LINE = re.compile(
    r"(?:Exception in thread \"main\" )?[\w.$]*(?:Exception|Error): (.*)|Error: (.*)"
)


def start_cause(text: str, setup: SparkSetup) -> SparkCause | None:
    """Why Java, or the session in it, did not start."""
    if _BAD_MASTER.search(text):
        return _bad_master(setup)
    if _EXITED in text:
        return _java_cause("\n".join(last_words()), setup)
    if not setup.is_local and _NO_MASTER.search(text):
        return no_master(setup.master)
    return None


def no_master(master: str, reason: str = "") -> SparkCause:
    """The cause where nobody answers at a master's address."""
    return SparkCause(
        f"spark.master: nobody answers at {master}{f' ({reason})' if reason else ''}",
        "Start the cluster's master, or correct spark.master in cutline.yaml; "
        "local[*] runs on this machine.",
        is_setting=True,
    )


def _java_cause(words: str, setup: SparkSetup) -> SparkCause:
    if _BAD_MASTER.search(words):
        return _bad_master(setup)
    if _NO_JAVA.search(words):
        return SparkCause(
            "there is no Java, which Spark runs in",
            "Install Java 17 or newer (Debian: apt install openjdk-17-jre-headless), or set "
            "JAVA_HOME to where it is.",
            is_setting=True,
        )
    if _TOO_OLD.search(words):
        return SparkCause(
            "the Java that is found first is too old for Spark",
            "Install Java 17 or newer, and set JAVA_HOME to it.",
            is_setting=True,
        )
    if _NO_SHELL.search(words):
        return SparkCause(
            "there is no bash, which Spark is started with",
            "Install bash, or put its folder on PATH.",
            is_setting=True,
        )
    if _NO_HEAP.search(words):
        return SparkCause(
            f"Java cannot have a heap of {setup.memory or 'that size'} on this machine",
            "Set spark.memory in cutline.yaml lower, or leave it out: it is then chosen.",
            is_setting=True,
        )
    lines = [match for line in words.splitlines() if (match := _ERROR_LINE.match(line.strip()))]
    reason = (lines[0][1] or lines[0][2] or "").strip() if lines else ""
    return SparkCause(
        f"Spark's process did not start{f': {reason[:300]}' if reason else ''}",
        "See what it wrote above; what is under spark.conf in cutline.yaml is handed to it.",
        is_setting=True,
    )


def _bad_master(setup: SparkSetup) -> SparkCause:
    return SparkCause(
        f"spark.master: {setup.master} names no kind of master",
        "Write local[*], local[4], spark://HOST:PORT, yarn or k8s://https://HOST:PORT.",
        is_setting=True,
    )
