"""`cutline reports`: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

from support.command_line import CommandLine
from support.site_runs import project_with_runs


def test_it_says_where_the_site_is_and_what_is_not_in_it(
    tmp_path: Path, command_line: CommandLine
) -> None:
    folder = project_with_runs(tmp_path / "p").folder
    shown = command_line("reports", "--index", tmp_path / "site", "--project", folder)
    assert (shown.returncode, shown.stdout.splitlines()) == (
        0,
        [
            f"{tmp_path / 'site' / 'index.html'}: 2 slices, 5 runs, 4 reports",
            "no report of fulfilment-eu-west-bbb2: the run made no report",
        ],
    )
    again = command_line("reports", "--index", tmp_path / "site", "--project", folder, "--json")
    written = json.loads(again.stdout)
    assert written["without_report"] == {"fulfilment-eu-west-bbb2": "the run made no report"}
    assert Path(written["index"]).is_file()


def test_without_a_folder_it_is_wrong_usage(tmp_path: Path, command_line: CommandLine) -> None:
    folder = project_with_runs(tmp_path / "p").folder
    refused = command_line("reports", "--project", folder)
    assert refused.returncode == 2
    refused = command_line("reports", "--index", folder, "--project", folder)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no site of reports" in refused.stderr
