"""The files of a run's report, taken from the lake into a site."""

from __future__ import annotations

from cutline.api.reports_index.folder import SiteFolder
from cutline.control import RunRecord
from cutline.errors import RunFailed
from cutline.lake.lake import Lake
from cutline.lake.manifest import Folder
from cutline.lake.unchanged import sha256
from cutline.results import ReportResult

CHANGED = "the report in the lake is not the one that the run wrote"
MISSING = "the report is no longer in the lake"
NOT_MADE = "the run made no report"


def copy_file(lake: Lake, record: RunRecord, file: str, site: SiteFolder, name: str) -> str | None:
    """None if the site has a file of the run's report under `name` now, else the reason why not.

    `file` is its name in the folder of reports. One that the site has from before stays, also where
    the lake has it no more. Whatever else is there under that name is removed.
    """
    reported = record.result_of(ReportResult)
    if reported is None:
        site.remove(name)
        return NOT_MADE
    place = f"{reported.report.rpartition('/')[0]}/{file}"
    digest = reported.files.get(place)
    if digest is not None and site.has(name, digest):
        return None
    text = report_text(lake, place)
    if text is not None and digest in (None, sha256(text)):
        site.write(name, text)
        return None
    site.remove(name)
    return MISSING if text is None else CHANGED


def report_text(lake: Lake, name: str) -> str | None:
    """A file of a run's folder in the lake; None where it is not there.

    RunFailed where the lake cannot be asked.
    """
    folder, _, last = lake.path(name).rpartition("/")
    try:
        return Folder.of(folder).text(last)
    # pyarrow refuses a URL of a kind it does not know with a ValueError.
    except (OSError, ValueError) as error:
        raise RunFailed(
            f"{lake.path(name)} cannot be read: {error}",
            left_behind="The site has what was copied before.",
            next_step="Mend the access to the lake, then run the same command again.",
        ) from error
