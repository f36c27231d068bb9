"""A session that somebody else started on a cluster, handed to Cutline. Run as a process.

Its arguments: the master, a project's folder, and in JSON what is to be tried of it. Prints in JSON
what was refused.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def tried(session: Any, project: Path, attempt: dict[str, Any]) -> Any:
    """What comes of one attempt: the error in its parts, or what was done."""
    import cutline
    from cutline.spark.cluster import refuse_plugins_left_behind
    from support.clustered import change

    if "sections" in attempt:
        change(project, **attempt["sections"])
    try:
        if "plugin" in attempt:
            refuse_plugins_left_behind(session, [attempt["plugin"]])
            return "sent"
        cutline.Project.open(project, spark=session).run("fulfilment", region="eu-west")
    except cutline.CutlineError as error:
        return [error.what, error.left_behind, error.next_step]
    return "performed"


def main() -> None:
    master, project, attempts = sys.argv[1:]

    from pyspark.sql import SparkSession

    from cutline.project.spark_settings import REQUIRED
    from support.clustered import QUICK

    settings = QUICK | {key: values[0] for key, values in REQUIRED.items()}
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    answers = [tried(session, Path(project), attempt) for attempt in json.loads(attempts)]
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
