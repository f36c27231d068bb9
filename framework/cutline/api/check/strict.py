"""The strict check: SQL and rules compiled, and rules evaluated on the rows of the sources."""

from __future__ import annotations

from cutline import plugins
from cutline.api.check.report import CheckLog
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.translator.translation import Translation


def check_strict(project: LoadedProject, region: str, log: CheckLog) -> None:
    """Check every context of the region: its SQL, its rules, those in Python, and its coverage."""
    for name, section in project.file.contexts.items():
        chosen = section.translation
        translation = plugins.choose_translation(chosen.use, chosen.major, name)
        _check_sql(project, translation, region, log)
        if _compile(project, translation, log):
            _check_coverage(project, name, region, log)


def _check_sql(
    project: LoadedProject, translation: Translation, region: str, log: CheckLog
) -> None:
    from cutline.spark.session import session
    from cutline_reconciliation.stage import check_reconciliation

    try:
        check_reconciliation(project, translation, region, session(project.file.spark))
    except ConfigurationError as error:
        log.add_problems(error.what)
    else:
        place = f"{translation.context.name} {region}"
        log.add_good(f"{place}: the SQL of its outcomes and waivers is understood")


def _compile(project: LoadedProject, translation: Translation, log: CheckLog) -> bool:
    from cutline.engine.examine import analyse_translator
    from cutline.run.meaning import meanings_of
    from cutline.spark.session import session

    spark = session(project.file.spark)
    try:
        meanings_of(spark, translation, "")
    except ConfigurationError as error:
        log.add_problems(error.what)
        return False
    for translator in translation.translators:
        for silence in analyse_translator(spark, translator).silences:
            log.add_refused(f"{silence.problem}. {silence.next_step}")
    log.add_good(f"translation {translation.name} {translation.version}: its rules compile")
    return True


def _check_coverage(project: LoadedProject, context: str, region: str, log: CheckLog) -> None:
    from cutline.api.coverage import slice_coverage

    coverage = slice_coverage(project, context, region)
    for table in coverage.undeclared:
        log.add_good(f"{table}: its contract calls no column classifying, nothing can be unmapped")
    for value in coverage.values:
        if value.means == "unmapped":
            shown = "null" if value.value is None else repr(value.value)
            log.add_refused(
                f"{context} {region}: {value.table}.{value.column} is {shown} in {value.rows:,} "
                f"rows, such as {', '.join(value.examples)}: {value.rule}"
            )
    if not coverage.unmapped:
        log.add_good(f"{context} {region}: no value is unmapped")
