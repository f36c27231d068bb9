"""Which names the project may give: they become folders, tables and topics."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

IDENTIFIER = r"^[a-z][a-z0-9_]*$"
SLUG = r"^[a-z0-9][a-z0-9_-]*$"
TOPIC = r"^[A-Za-z0-9._-]+$"
REGION = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"

IN_WORDS = {
    IDENTIFIER: "must be lower-case letters, digits and _, beginning with a letter",
    SLUG: "must be lower-case letters, digits, - and _, beginning with a letter or digit",
    TOPIC: "must be letters, digits, -, _ and .",
    REGION: "must be letters, digits, -, _ and ., beginning with a letter or digit",
}
"""Each pattern for people."""

APPENDING, SCHEMAS = "_appending", "_schemas"
"""Folders beside the topics of files: what is being sent, and the schemas of payloads."""


def _topic(name: str) -> str:
    if name in (".", ".."):
        raise ValueError("must be a name that a topic of Kafka may have")
    if name in (APPENDING, SCHEMAS):
        raise ValueError("must be no folder that topics of files use themselves")
    return name


Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER, max_length=60)]
"""The name of a source, a table or a context."""

Slug = Annotated[str, StringConstraints(pattern=SLUG, max_length=60)]
"""The name of a project, or the prefix of its topics."""

RegionName = Annotated[str, StringConstraints(pattern=REGION, max_length=60)]
"""The name of a region."""

TopicName = Annotated[str, StringConstraints(pattern=TOPIC, max_length=249), AfterValidator(_topic)]
"""The name of a topic of Kafka."""
