"""Cutline: moves a bounded context off a legacy system without lying about its history.

```python
project = cutline.Project.open("retail")
run = project.run("fulfilment", region="eu-west", on_event=print)
```

What it offers is loaded when it is first used: `import cutline` loads neither Spark nor pydantic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.version import __version__

if TYPE_CHECKING:
    from cutline.api import CheckReport as CheckReport
    from cutline.api import DemoResult as DemoResult
    from cutline.api import Project as Project
    from cutline.api import Run as Run
    from cutline.api import RunCounts as RunCounts
    from cutline.api import demo as demo
    from cutline.errors import ConfigurationError as ConfigurationError
    from cutline.errors import CutlineError as CutlineError
    from cutline.errors import RunFailed as RunFailed

_ERRORS = ("ConfigurationError", "CutlineError", "RunFailed")
_FRONT_DOOR = ("CheckReport", "DemoResult", "Project", "Run", "RunCounts", "demo")

__all__ = ["__version__", *_ERRORS, *_FRONT_DOOR]


def __getattr__(name: str) -> object:
    if name in _ERRORS:
        from cutline import errors

        return getattr(errors, name)
    if name in _FRONT_DOOR:
        from cutline import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
