"""The checks of a project in every region: its file, its plugins, its sources."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cutline import plugins
from cutline.api.check.lookups import lookup_lines, view_lines
from cutline.api.check.report import CheckLog, CheckReport
from cutline.api.check.strict import check_strict
from cutline.context import Aggregate, Context, Outcome
from cutline.errors import ConfigurationError, CutlineError, did_you_mean
from cutline.project import LoadedProject, load, load_shared
from cutline.quotas import every_quota, refuse_unset
from cutline.readmodels import databases_at_fault
from cutline.run.on_cluster import local_control
from cutline.telemetry import refuse_without_extra
from cutline.translator.translation import Translation


def check_project(folder: Path, *, strict: bool = False, conformance: bool = False) -> CheckReport:
    """Everything that can be found without a run; an unreadable cutline.yaml raises.

    With `strict`, translators and the SQL of outcomes and waivers are compiled, and translators are
    evaluated on every row of every good region; with `conformance`, they are tested on generated
    histories.
    """
    project = load_shared(folder)
    log = CheckLog(str(project.config))
    if project.region is None:
        log.add_good(f"{project.config.name}: its defaults")
    _extras(project, log)
    for group in (plugins.contexts(), plugins.translations()):
        for entry, why in group.failed.items():
            log.add_unused(f"plugin {entry}: {why}")
    good = [region for region in project.file.regions if _region(folder, region, log)]
    if good:
        log.add_good(f"regions: {', '.join(good)}")
    if strict:
        for region in good:
            check_strict(load(folder, region), region, log)
    if conformance:
        from cutline.api.check.conformance import check_conformance

        check_conformance(folder, log)
    return log.report()


def _extras(project: LoadedProject, log: CheckLog) -> None:
    for refuse in (refuse_without_extra, lambda project: refuse_unset(every_quota(project))):
        try:
            refuse(project)
        except ConfigurationError as error:
            log.add_problems(error.what)


def _region(folder: Path, region: str, log: CheckLog) -> bool:
    """Whether a run of the region could start."""
    try:
        project = load(folder, region)
        waivers = len(project.waivers)
    except ConfigurationError as error:
        log.add_problems(*error.what.splitlines())
        return False
    if waivers:
        log.add_good(f"waivers.yaml: region {region} sees {waivers} of them in order")
    # Every context is looked at, whatever the one before it gave.
    good = [_context(project, name, log) for name in project.file.contexts]
    return all(good)


def _context(project: LoadedProject, name: str, log: CheckLog) -> bool:
    section = project.file.contexts[name]
    chosen = section.translation
    try:
        context = plugins.choose_context(name)
        translation = plugins.choose_translation(chosen.use, chosen.major, name)
    except ConfigurationError as error:
        log.add_problems(error.what)
        return False
    log.add_good(f"context {name}: translation {translation.name} {translation.version}")
    for translator in translation.translators:
        slow = [fact.name for fact in translator.facts if fact.per_row]
        if slow:
            log.add_good(f"{translator.name()}: {', '.join(slow)} in Python, row by row: slow")
    for line in (*lookup_lines(project, translation), *view_lines(translation)):
        log.add_good(line)
    key = f"cutline.yaml: contexts.{name}"
    wrong = [
        *_unknown(f"{key}.live.aggregates", section.live.aggregates, context.aggregates),
        *_unknown(f"{key}.gates.outcomes", section.gates.outcomes, context.outcomes),
        *_unknown(
            f"{key}.gates.uncompared",
            [one.aggregate for one in section.gates.uncompared],
            context.aggregates,
        ),
        *_undeclared(project, translation),
        *_local_on_cluster(project),
        *databases_at_fault(project, context),
    ] or [*_sources(project, translation, log), *_schemas(project, context)]
    log.add_problems(*wrong)
    return not wrong


def _schemas(project: LoadedProject, context: Context) -> list[str]:
    """The payload schemas that would break those who read the topics."""
    from cutline.stages.payload_schemas import refuse_incompatible_schemas

    try:
        refuse_incompatible_schemas(project, context)
    except CutlineError as error:
        return error.what.splitlines()
    return []


def _unknown(key: str, names: Iterable[str], declared: Iterable[Aggregate | Outcome]) -> list[str]:
    declared_names = [one.name for one in declared]
    return [
        f"{key}: {name!r} is none of {', '.join(declared_names) or 'none'}."
        f"{did_you_mean(name, declared_names)}"
        for name in names
        if name not in declared_names
    ]


def _undeclared(project: LoadedProject, translation: Translation) -> list[str]:
    """The tables of the translation that cutline.yaml lacks."""
    wrong = []
    sources = project.file.sources
    for contract in translation.contracts():
        source, table = contract.source(), contract.table()
        if source not in sources:
            wrong.append(
                f"cutline.yaml: sources.{source}: is missing; translation {translation.name} "
                f"reads {source}.{table}.{did_you_mean(source, sources)}"
            )
        elif table not in sources[source].tables:
            hint = did_you_mean(table, sources[source].tables)
            wrong.append(
                f"cutline.yaml: sources.{source}.tables.{table}: is missing; translation "
                f"{translation.name} reads it.{hint}"
            )
    return wrong


def _local_on_cluster(project: LoadedProject) -> list[str]:
    """What of the project keeps its runs on one machine, though their master is a cluster."""
    refusal = local_control(project, project.file.spark.master)
    return [refusal.what] if refusal else []


def _sources(project: LoadedProject, translation: Translation, log: CheckLog) -> list[str]:
    """The problems of the sources themselves; good ones are added, too."""
    from cutline.sources import check_sources
    from cutline.stages.commit_views import refuse_without_changes

    try:
        refuse_without_changes(project, translation)
        for line in check_sources(project, translation):
            log.add_good(line)
    except ConfigurationError as error:
        return error.what.splitlines()
    return []
