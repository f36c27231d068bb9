"""Calls that need no project: what is installed, its events, new packages, Spark's classes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cutline.api.event_schemas import EventSchemas
    from cutline.api.scaffolding import Scaffold
    from cutline.api.translations import InstalledTranslations


def translators() -> InstalledTranslations:
    """The installed translations with their sources, and plugins that failed to load, with the
    reason.
    """
    from cutline import plugins
    from cutline.api.translations import installed_translations

    return installed_translations(plugins.translations(), plugins.contexts())


def schemas(context: str, *, event: str | None = None) -> EventSchemas:
    """The events of an installed context with their JSON Schemas; of one event type, if named."""
    from cutline.api.arguments import require_text, require_text_if_given
    from cutline.api.event_schemas import event_schemas
    from cutline.plugins import choose_context

    require_text(context=context)
    require_text_if_given(event=event)
    return event_schemas(choose_context(context), event)


def project_schema() -> dict[str, Any]:
    """The JSON Schema of cutline.yaml."""
    from cutline.project import json_schema

    return json_schema()


def new_context(
    name: str,
    *,
    aggregate: str | None = None,
    events: Sequence[str] = (),
    folder: str | Path | None = None,
    in_repo: bool = False,
) -> Scaffold:
    """Write a bounded context that loads: an aggregate, its first events, tests, an entry point.

    Without names the aggregate is called as the context, and its event <Aggregate>Recorded;
    `events` are in causal order. It is a distribution of its own in `folder`, by default
    ./<name>-context; with `in_repo` it is written into the folders of the Cutline checkout around
    it. No file is ever overwritten.
    """
    from cutline.api.arguments import names, require_text, require_text_if_given
    from cutline.api.scaffolding import write_context

    require_text(name=name)
    require_text_if_given(aggregate=aggregate)
    target = None if folder is None else Path(folder)
    return write_context(name, aggregate, names("events", events), target, in_repo=in_repo)


def share_classes() -> Path:
    """Write Spark's classes as the JVM wants them, and return the file; it takes half a minute.

    From then on each session that a process of this environment starts on its own machine is ready
    in half the time. The file lies in the environment (`sys.prefix`). Call this again after another
    Java or another Spark was installed. ConfigurationError where the environment cannot be written
    to, or its Java writes no such file; RunFailed where Java does not come to an end.
    """
    from cutline.spark.class_sharing import write_archive

    return write_archive()
