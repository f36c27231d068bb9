"""The schemas of the events that a run publishes, where those who read its topics look for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.topics.schemas.keeping import keep_schemas, refuse_incompatible
from cutline.topics.schemas.places import schema_place
from cutline.topics.schemas.subjects import payload_schemas

if TYPE_CHECKING:
    from cutline.context import Context
    from cutline.project.loaded import LoadedProject
    from cutline.workspace import Workspace


def refuse_incompatible_schemas(project: LoadedProject, context: Context) -> None:
    """ConfigurationError for a schema of the context by which those who read its topics could not
    go on; nothing is written anywhere."""
    schemas = payload_schemas(project.file.topics.prefix, context)
    if schemas:
        refuse_incompatible(schema_place(project), schemas)


def keep_payload_schemas(workspace: Workspace) -> None:
    """Bring the context's schemas to where they are kept; errors as `keep_schemas` has them."""
    schemas = payload_schemas(workspace.project.file.topics.prefix, workspace.context)
    if schemas:
        workspace.lake.check_lease()
        keep_schemas(schema_place(workspace.project), schemas, workspace.run_id)
