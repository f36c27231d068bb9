"""The name of a run: a digest over everything that goes into it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from cutline.control.records import RunKey, RunRecord
from cutline.errors import ConfigurationError
from cutline.identity.canonical import canonical_json
from cutline.project.loaded import LoadedProject
from cutline.sources.lift_digest import older_shapes_identity
from cutline.translator.translation import Translation
from cutline.version import RESULTS_VERSION


def run_key(
    project: LoadedProject,
    translation: Translation,
    region: str,
    positions: Mapping[str, str],
    redrive: Mapping[str, Any] | None = None,
    after: str | None = None,
) -> RunKey:
    """The run that these inputs make: the same inputs are the same run, in any folder.

    In it go context, slice, cut, the positions of the sources, the translators' versions, the
    configuration that affects results, the waivers and discarded exceptions that are about the
    slice, how older shapes of rows are lifted, what both sides are asked to be compared, and
    `RESULTS_VERSION`; of a re-drive also the run that it goes on from, and which of its exceptions
    are meant; of a run that was made again the one `after` which it was.
    """
    context = translation.context.name
    inputs: dict[str, Any] = {
        "context": context,
        "slice": region,
        "positions": dict(positions),
        "translation": f"{translation.name} {translation.version}",
        "translators": {t.name(): t.version for t in translation.translators},
        "cutline": RESULTS_VERSION,
        **_settings(project, context, region),
    }
    lifted = {
        f"{contract.source()}.{contract.table()}": older_shapes_identity(contract)
        for contract in translation.contracts()
        if contract.older()
    }
    if lifted:
        inputs["older_shapes"] = lifted
    if questions := _truth_questions(translation):
        inputs["questions"] = questions
    if redrive is not None:
        inputs["redrive"] = dict(redrive)
    if after is not None:
        inputs["after"] = after
    name = hashlib.sha256(canonical_json(inputs).encode()).hexdigest()[:12]
    return RunKey(context, region, f"{context}-{region}-{name}", inputs)


def changed_settings(project: LoadedProject, record: RunRecord) -> list[str]:
    """A sentence for each file of the project that says something else by now, in what affects
    results, than it did when a run of the slice was named; none for a run that names no settings.
    Where waivers.yaml cannot be read, what is wrong with it."""
    then = record.inputs
    if "configuration" not in then:
        return []
    try:
        now = _settings(project, record.context, record.region)
    except ConfigurationError as error:
        return [error.what]
    changed = {name for name in _FILES if now.get(name) != then.get(name)}
    return sorted({f"{_FILES[name]} says something else than it did" for name in changed})


_FILES = {
    **dict.fromkeys(("configuration", "cut"), "cutline.yaml"),
    **dict.fromkeys(("waivers", "discarded"), "waivers.yaml"),
}
"""The settings that runs are named by, with the file that says each."""


def _settings(project: LoadedProject, context: str, region: str) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "configuration": project.digest,
        "cut": project.file.contexts[context].cut.model_dump(mode="json", exclude_none=True),
    }
    if waivers := project.waivers_of(context, region):
        settings["waivers"] = [w.model_dump(mode="json", exclude_none=True) for w in waivers]
    if discarded := project.discarded_of(context, region):
        settings["discarded"] = [d.model_dump(mode="json") for d in discarded]
    return settings


def _truth_questions(translation: Translation) -> dict[str, str]:
    """A digest of each query whose answers are compared: the truth's, and the new side's decisions
    that the truth answers as well."""
    truth = translation.truth
    queries = {f"aggregate/{name}": sql for name, sql in truth.aggregates.items()}
    queries |= {f"outcome/{name}": sql for name, sql in truth.outcomes.items()}
    queries |= {
        f"decide/{one.name}": one.decide
        for one in translation.context.outcomes
        if one.name in truth.outcomes
    }
    queries |= {
        f"looks-at/{one.name}": one.looks_at
        for one in translation.context.outcomes
        if one.name in truth.outcomes and one.looks_at
    }
    return {name: hashlib.sha256(sql.encode()).hexdigest()[:12] for name, sql in queries.items()}
