"""The sign-off of a run, made of its report and of what its translators mean."""

from __future__ import annotations

import json
from collections.abc import Mapping

from cutline.api.reports_index.folder import SiteFolder
from cutline.control import Control
from cutline.lake.unchanged import sha256
from cutline_reports.site import sign_off, sign_off_page, sign_off_text

Fingerprints = Mapping[tuple[str, str], str]
"""Of what translators mean, by translator and version."""


def fingerprints_of(control: Control, context: str) -> Fingerprints:
    """The fingerprints that runs of a context have recorded."""
    return {(m.translator, m.version): m.fingerprint for m in control.meanings(context)}


def write_sign_off(site: SiteFolder, place: str, fingerprints: Fingerprints) -> str | None:
    """Write the sign-off of the run whose report the site has in `place`; the name of its page.

    None where the site lacks a part of the report, or where that is of a version of Cutline whose
    reports hold too little. Then a sign-off from before is removed.
    """
    data, page = f"{place}/sign-off.json", f"{place}/sign-off.html"
    report, shown = site.text(f"{place}/report.json"), site.text(f"{place}/report.html")
    if report is None or shown is None:
        site.remove(data)
        site.remove(page)
        return None
    try:
        document = sign_off(json.loads(report), fingerprints, sha256(shown))
    except KeyError:
        site.remove(data)
        site.remove(page)
        return None
    site.write(data, sign_off_text(document))
    site.write(page, sign_off_page(document))
    return page
