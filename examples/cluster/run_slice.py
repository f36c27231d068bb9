"""One slice of a project, in the session that spark-submit opens: see docs/cluster.md.

    spark-submit --master … run_slice.py PROJECT CONTEXT REGION [--stage STAGE …]

Ends with 0 for GO, 1 for NO-GO, 2 where something is written wrong and 3 where the run failed: the
same command then goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys

from pyspark.sql import SparkSession

import cutline

# Results depend on these: Cutline refuses a session that has others.
SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project")
    parser.add_argument("context")
    parser.add_argument("region")
    parser.add_argument("--stage", action="append", default=[])
    asked = parser.parse_args()

    builder = SparkSession.builder.appName(f"cutline {asked.context} {asked.region}")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    try:
        project = cutline.Project.open(asked.project, spark=spark)
        run = project.run(
            asked.context,
            region=asked.region,
            stages=asked.stage,
            on_event=lambda event: sys.stderr.write(f"{event}\n"),
        )
    except cutline.CutlineError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    finally:
        spark.stop()
    sys.stdout.write(json.dumps(run.as_json()) + "\n")
    return 1 if run.decision == "no-go" else 0


if __name__ == "__main__":
    sys.exit(main())
