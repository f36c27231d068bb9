"""What the translators mean, found out and held against earlier runs before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from pyspark.sql import SparkSession

from cutline.control import Control, Meaning
from cutline.engine.examine import analyse_translator, fingerprint_method
from cutline.errors import ConfigurationError
from cutline.spark.parallel import run_parallel
from cutline.translator.translation import Translation
from cutline.translator.translator import Translator, version_numbers


def meanings_of(spark: SparkSession, translation: Translation, run_id: str) -> tuple[Meaning, ...]:
    """What each translator means; ConfigurationError for the first that cannot be compiled."""
    method = fingerprint_method(spark.version)

    def meaning(translator: type[Translator]) -> Meaning:
        examination = analyse_translator(spark, translator)
        return Meaning(
            translator.name(), translator.version, examination.fingerprint, method, run_id
        )

    work: list[Callable[[], Meaning]] = [partial(meaning, t) for t in translation.translators]
    return tuple(run_parallel(spark, work))


def check_fingerprints(control: Control, context: str, meanings: Iterable[Meaning]) -> None:
    """Remember what the translators mean; ConfigurationError where earlier runs knew better.

    That is so for a version that meant something else, and for one older than was used before.
    Nothing is stored unless all of them pass.
    """
    remembered = control.meanings(context)
    current = tuple(meanings)
    for meaning in current:
        for earlier in remembered:
            if earlier.translator == meaning.translator:
                _refuse_another_meaning(meaning, earlier)
                _refuse_going_back(meaning, earlier)
    for meaning in current:
        control.remember_meaning(context, meaning)


def _refuse_another_meaning(now: Meaning, then: Meaning) -> None:
    comparable = now.version == then.version and now.made_by == then.made_by
    if comparable and now.fingerprint != then.fingerprint:
        raise ConfigurationError(
            f"translator {now.translator} {now.version} means something else than it did in run "
            f"{then.run_id}: its rules, contracts or payloads were changed under the same version",
            left_behind="Nothing was started.",
            next_step="Raise its `version`: the last number for a mended rule, the middle one for "
            "a wider meaning, the first one where events that were told mean something else.",
        )


def _refuse_going_back(now: Meaning, then: Meaning) -> None:
    ours, theirs = version_numbers(now.version), version_numbers(then.version)
    if ours[0] == theirs[0] and ours < theirs:
        raise gone_back(now.translator, now.version, then.run_id, then.version)


def gone_back(translator: str, version: str, run_id: str, earlier: str) -> ConfigurationError:
    """The error for a version below the one that a run used."""
    return ConfigurationError(
        f"translator {translator} has version {version}, but run {run_id} used {earlier}: "
        "versions do not go backwards",
        left_behind="Nothing was started.",
        next_step=f"Give what is to be used now a version above {earlier}.",
    )
