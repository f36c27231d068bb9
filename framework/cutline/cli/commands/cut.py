"""`cutline cut`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def cut(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Say in words where the cut lines of a slice are drawn, and what that proves or assumes.

    For each source that the slice reads: what its snapshot shows and where the changes after it
    begin, then where history ends and live begins. Nothing is read from the sources.
    """
    from cutline.api.choice import known_context
    from cutline.project import load

    with result() as out:
        loaded = load(project, region)
        known_context(loaded, context)

        from cutline.api.cut_lines import slice_cut

        found = slice_cut(loaded, context, region)
        if json:
            out.document(found.as_json())
        else:
            for line in found.lines():
                out.line(line)
    return 0
