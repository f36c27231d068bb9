"""Read by Python as it starts: its Spark session is one in a JVM that is there already."""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
from typing import Any

_MODULE = "pyspark.sql.session"


class _Finder(importlib.abc.MetaPathFinder):
    """Changes PySpark's module of the session when it is loaded; until then nothing is."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        execute = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            import guest

            execute(module)
            module.SparkSession.Builder.getOrCreate = guest.get_or_create

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if "PYSPARK_GATEWAY_PORT" in os.environ:
    sys.meta_path.insert(0, _Finder())
