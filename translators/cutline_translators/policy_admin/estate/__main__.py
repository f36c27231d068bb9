"""`python -m cutline_translators.policy_admin.estate --dir DIR`: a sample project to run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cutline_translators.policy_admin.estate.write import LEAST, write_project

parser = argparse.ArgumentParser(prog="python -m cutline_translators.policy_admin.estate")
parser.add_argument("--dir", type=Path, required=True, help="where to write it")
parser.add_argument("--policies", type=int, default=1_000, help=f"how many, {LEAST} at least")
parser.add_argument("--seed", type=int, default=7, help="what its chances are drawn from")


def main() -> int:
    """Write the project, and say how to run it."""
    arguments = parser.parse_args()
    if arguments.policies < LEAST:
        parser.error(f"--policies must be {LEAST} at least")
    write_project(arguments.dir, arguments.policies, arguments.seed)
    sys.stdout.write(
        f"An insurer's estate of {arguments.policies:,} policies is in {arguments.dir}. "
        "Run a region:\n"
        f"  cutline run insurance_policy --region north --project {arguments.dir}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
