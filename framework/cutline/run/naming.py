"""The name of a run: a digest over everything that goes into it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from cutline.control.records import RunKey
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
        "cut": project.file.contexts[context].cut.model_dump(mode="json", exclude_none=True),
        "positions": dict(positions),
        "translation": f"{translation.name} {translation.version}",
        "translators": {t.name(): t.version for t in translation.translators},
        "configuration": project.digest,
        "cutline": RESULTS_VERSION,
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
    waivers = project.waivers_of(context, region)
    if waivers:
        inputs["waivers"] = [w.model_dump(mode="json", exclude_none=True) for w in waivers]
    if discarded := project.discarded_of(context, region):
        inputs["discarded"] = [d.model_dump(mode="json") for d in discarded]
    if redrive is not None:
        inputs["redrive"] = dict(redrive)
    if after is not None:
        inputs["after"] = after
    name = hashlib.sha256(canonical_json(inputs).encode()).hexdigest()[:12]
    return RunKey(context, region, f"{context}-{region}-{name}", inputs)


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
