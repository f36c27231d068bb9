"""`cutline translators`"""

from __future__ import annotations

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def translators(json: options.Json = False) -> int:
    """List the installed translations and what they translate; what failed, with the reason.

    Contexts that failed are among them. A broken plugin disturbs nobody else: only `cutline check`
    and `cutline run` stop, if they need it.
    """
    with result() as out:
        from cutline import plugins
        from cutline.api.translations import installed, lines

        found = installed(plugins.translations(), plugins.contexts())
        if json:
            out.document(found)
        else:
            for line in lines(found):
                out.line(line)
    return 0
