"""`cutline share-classes`"""

from __future__ import annotations

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def share_classes(json: options.Json = False) -> int:
    """Write Spark's classes once, as Java wants them: commands that use Spark begin sooner then.

    Into the Python environment, 190 MB, for all who use it. Nothing needs it.

    Run it again after another Spark or Java was installed.
    """
    with result() as out:
        from cutline.api import share_classes as write_classes

        typer.echo("Java writes Spark's classes, for half a minute.", err=True)
        file = write_classes()
        if json:
            out.document({"file": str(file)})
        else:
            out.line(f"Spark's classes are in {file}. Commands that use Spark begin sooner.")
    return 0
