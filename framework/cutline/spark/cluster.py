"""Sessions on a cluster: what must hold before any work, and what its Python workers are sent."""

from __future__ import annotations

import ipaddress
import os
import sys
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.logs import logger
from cutline.project.spark import SparkSection, is_local
from cutline.spark.master import standalone_addresses
from cutline.spark.on_workers import ask_workers
from cutline.spark.travelling import TravellingPackage, travelling_packages, write_zip

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_LOG = logger(__name__)
_NEEDED = ("cutline.context", "cutline.translator", "cutline.engine", "cutline.masking", "pandas")
"""What functions of rows import on a worker, whatever the plugin."""


@dataclass(frozen=True)
class Settled:
    """What the workers were sent, and by package what keeps a plugin from working there."""

    sent: tuple[str, ...]
    obstacles: Mapping[str, str]


_settled: weakref.WeakKeyDictionary[SparkContext, Settled] = weakref.WeakKeyDictionary()


def prepare(section: SparkSection) -> None:
    """Before a session starts: let the workers run the Python that the project names."""
    if python := section.conf.get("spark.pyspark.python"):
        os.environ.setdefault("PYSPARK_PYTHON", python)


def settle(spark: SparkSession) -> Settled:
    """Send the workers of a session's cluster what they need, once; what is wrong with plugins.

    ConfigurationError, before any work, if the workers cannot reach this process, cannot be had or
    lack what Cutline itself needs.
    """
    context = spark.sparkContext
    if context in _settled:
        return _settled[context]
    _refuse_loopback(spark)
    packages = travelling_packages()
    sent = [package for package in packages if package.obstacle is None]
    _send(context, sent)
    failures = _import_failures(spark, [*_NEEDED, *(package.name for package in packages)])
    for name in _NEEDED:
        if name in failures:
            raise ConfigurationError(
                f"spark: its Python workers cannot import {name}: {failures[name]}",
                left_behind="Nothing was started.",
                next_step="Cutline's own packages are sent to them, but not what these depend on: "
                f"install Cutline's dependencies for Python {_version(sys.version_info)} on every "
                "worker, and let PYSPARK_PYTHON name that Python.",
            )
    settled = Settled(
        tuple(package.name for package in sent),
        {p.name: _obstacle(p, failures[p.name]) for p in packages if p.name in failures},
    )
    _settled[context] = settled
    _LOG.info("packages sent to the workers", extra={"packages": ", ".join(settled.sent)})
    return settled


def refuse_plugins_left_behind(spark: SparkSession, modules: Iterable[str]) -> None:
    """ConfigurationError, naming it, if a module is of a plugin that the workers do not have."""
    if is_local(str(spark.sparkContext.master)):
        return
    settled = settle(spark)
    for module in modules:
        # Only here is it known which plugins matter: others may be broken.
        name = module.partition(".")[0]
        failure = settled.obstacles.get(name) or _import_failures(spark, [module]).get(module)
        if failure is not None:
            mend = (
                "Install what it depends on in the Python of every worker. It is imported from an "
                "archive: files beside it are read by importlib.resources, and not by __file__"
                if name in settled.sent
                else "Install it, and what it depends on, in the Python of every worker"
            )
            raise ConfigurationError(
                f"spark: the workers of {spark.sparkContext.master} cannot import plugin {module}: "
                f"{failure}",
                left_behind="Nothing was started.",
                next_step=f"{mend}; or run with `--master 'local[*]'`.",
            )


def _send(context: SparkContext, packages: Iterable[TravellingPackage]) -> None:
    # Spark removes the folder when the session ends; a worker that comes late fetches from there.
    archive = write_zip(packages, Path(context._temp_dir))
    before = list(sys.path)
    context.addPyFile(str(archive))
    # Spark lets the driver import from it as well, which has the packages themselves.
    sys.path[:] = before


def _import_failures(spark: SparkSession, modules: Iterable[str]) -> dict[str, str]:
    """By module that some worker cannot import, which worker and why."""
    names = tuple(modules)

    def failures(_: int) -> dict[str, str]:
        # This function goes to the worker by value.
        import importlib
        import socket

        failing = {}
        for name in names:
            try:
                importlib.import_module(name)
            except Exception as error:
                why = f"{type(error).__name__}: {error}".partition("\n")[0]
                failing[name] = f"{why} (worker {socket.gethostname()})"
        return failing

    answers = ask_workers(spark, failures)
    return {name: why for answer in reversed(answers) for name, why in answer.items()}


def _obstacle(package: TravellingPackage, failure: str) -> str:
    if package.obstacle is None:
        return failure
    return f"it cannot be sent, for {package.obstacle}; and it is not installed there: {failure}"


def _refuse_loopback(spark: SparkSession) -> None:
    """ConfigurationError if the master is elsewhere and workers are told to find us on loopback."""
    context = spark.sparkContext
    addresses = standalone_addresses(str(context.master))
    host = str(context.getConf().get("spark.driver.host"))
    if _is_loopback(host) and any(not _is_loopback(master) for master, _ in addresses):
        raise ConfigurationError(
            f"spark: the workers of {context.master} are told to find this process at {host}, "
            "which is their own machine",
            left_behind="Nothing was started.",
            next_step="Set spark.driver.host, under spark.conf in cutline.yaml, to the address of "
            "this machine in their network.",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _version(version: tuple[object, ...]) -> str:
    return ".".join(map(str, version[:2]))
