"""The schema registry: schemas by their ids, and which is the newest of a subject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.kafka.failures import NOTHING
from cutline.kafka.secret_names import reference_of, secret_of
from cutline.project.kafka import RegistrySection
from cutline.project.paths import anchored

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

_SECONDS = 10
_MISSING = 404
_DENIED = (401, 403)
_NOT_TAKEN = (409, 422)


@dataclass(frozen=True)
class RegistrySettings:
    """How a registry is reached; its password is named, as in `ClientSettings`."""

    url: str
    username: str | None = None
    reference: str | None = None
    ca: str | None = None
    folder: str = ""


def registry_settings(section: RegistrySection | None, folder: Path) -> RegistrySettings | None:
    """The settings of a registry; null where none is declared. Raises what `reference_of` says."""
    if section is None:
        return None
    reference = None
    if section.password is not None:
        reference = reference_of("registry.password", section.password, folder)
    ca = None if section.ca is None else anchored(section.ca, folder)
    return RegistrySettings(section.url, section.username, reference, ca, str(folder))


class UnknownSchema(Exception):
    """The registry has no schema of that id."""


class SchemaRefused(Exception):
    """The registry does not take a schema: by its rule of compatibility, or as it is none."""


class Registry:
    """A registry that is asked. `key` is in cutline.yaml, for errors.

    Each method raises ConfigurationError where the registry refuses who asks, or the packages for
    it are not installed, and RunFailed where it does not answer.
    """

    def __init__(self, settings: RegistrySettings, key: str) -> None:
        self._settings, self._key = settings, key
        self._client = self._connected()

    def newest(self, subjects: Iterable[str]) -> dict[str, int]:
        """The id of the newest schema of each subject; those that have none are left out."""
        ids = {}
        for subject in subjects:
            try:
                ids[subject] = int(self._ask("get_latest_version", subject).schema_id)
            except UnknownSchema:
                continue
        return ids

    @property
    def url(self) -> str:
        """Where the registry is, for people."""
        return self._settings.url

    def newest_schema(self, subject: str) -> Schema | None:
        """The newest schema of a subject; null if it has none."""
        try:
            # The client remembers the newest by its own clock, and somebody may have registered.
            self._client.clear_latest_caches()  # type: ignore[no-untyped-call]
            schema: Schema = self._ask("get_latest_version", subject).schema
        except UnknownSchema:
            return None
        return schema

    def is_allowed(self, subject: str, text: str, kind: str) -> bool:
        """Whether the registry's rule of compatibility takes a schema as the next of a subject,
        which has schemas already."""
        from confluent_kafka.schema_registry import Schema

        offered = Schema(text, kind)
        try:
            return bool(self._ask("test_compatibility", subject, offered, refusals=_NOT_TAKEN))
        except SchemaRefused:
            return False

    def register(self, subject: str, text: str, kind: str) -> int:
        """Make a schema the newest of a subject; its id. SchemaRefused if it is not taken."""
        from confluent_kafka.schema_registry import Schema

        offered = Schema(text, kind)
        return int(self._ask("register_schema", subject, offered, refusals=_NOT_TAKEN))

    def schema(self, number: int) -> Schema:
        """The schema of an id; UnknownSchema if there is none."""
        schema: Schema = self._ask("get_schema", number)
        return schema

    def referenced(self, schema: Schema) -> list[Schema]:
        """The schemas that a schema names, each before those that name it."""
        named: list[Schema] = []
        for reference in schema.references or ():
            registered = self._ask("get_version", reference.subject, reference.version)
            named += [*self.referenced(registered.schema), registered.schema]
        return named

    def _ask(self, question: str, *arguments: object, refusals: Sequence[int] = ()) -> Any:
        from confluent_kafka.schema_registry.error import SchemaRegistryError

        try:
            return getattr(self._client, question)(*arguments)
        except SchemaRegistryError as error:
            if error.http_status_code == _MISSING:
                raise UnknownSchema(str(error)) from error
            if error.http_status_code in refusals:
                raise SchemaRefused(" ".join(str(error).split())) from error
            raise self._failure(error, denied=error.http_status_code in _DENIED) from error
        except Exception as error:
            # What carries the question has errors of its own, which are of no interest here.
            raise self._failure(error, denied=False) from error

    def _connected(self) -> SchemaRegistryClient:
        try:
            from confluent_kafka.schema_registry import SchemaRegistryClient
        except ImportError as error:
            raise not_installed(self._key) from error
        settings = self._settings
        conf: dict[str, Any] = {"url": settings.url, "timeout": _SECONDS, "max.retries": 2}
        if settings.username is not None and settings.reference is not None:
            password = secret_of(settings.reference, settings.folder)
            conf["basic.auth.user.info"] = f"{settings.username}:{password}"
        if settings.ca is not None:
            conf["ssl.ca.location"] = settings.ca
        return SchemaRegistryClient(conf)

    def _failure(self, error: Exception, *, denied: bool) -> CutlineError:
        reason = " ".join(str(error).split()) or type(error).__name__
        if denied:
            return ConfigurationError(
                f"{self._key}: the schema registry at {self._settings.url} refuses: {reason}",
                left_behind=NOTHING,
                next_step="Mend `registry` there, and run the same command again.",
            )
        return RunFailed(
            f"{self._key}: the schema registry at {self._settings.url} does not answer: {reason}",
            left_behind=NOTHING,
            next_step="See that it runs and that `registry.url` names it, and run the same command "
            "again.",
        )


def not_installed(key: str) -> ConfigurationError:
    """The packages for Avro are missing."""
    return ConfigurationError(
        f"{key}: the schema registry's client and fastavro must be installed",
        left_behind=NOTHING,
        next_step="pip install 'cutline[avro]', on a cluster on every worker.",
    )
