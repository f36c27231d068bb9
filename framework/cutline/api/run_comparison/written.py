"""The page of a comparison, in a site of reports."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from cutline.api.reports_index.entries import run_place
from cutline.api.reports_index.folder import SiteFolder
from cutline.api.reports_index.write import write_index
from cutline.api.run_comparison.result import RunComparison
from cutline.control import RunRecord
from cutline_reports.site import comparison_name, comparison_page


def write_comparison(
    project_folder: Path, site: Path, left: RunRecord, right: RunRecord, compared: RunComparison
) -> RunComparison:
    """Write the comparison beside the right run's report, and the index with it.

    The result has the page.
    """
    write_index(project_folder, site)
    folder = SiteFolder(site)
    name = f"{run_place(right)}/{comparison_name(left.run_id)}"
    has_report = [folder.text(f"{run_place(run)}/report.html") is not None for run in (left, right)]
    text = json.dumps(compared.as_json(), indent=1) + "\n"
    folder.write(f"{name}.json", text)
    folder.write(f"{name}.html", comparison_page(json.loads(text), *has_report))
    write_index(project_folder, site)
    return dataclasses.replace(compared, page=folder.folder.absolute() / f"{name}.html")
