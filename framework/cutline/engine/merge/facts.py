"""Rules that look at events of one id or one fact."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, WindowSpec
from pyspark.sql import functions as F

from cutline.context.merge_policy import MergePolicy
from cutline.engine.merge.columns import (
    DATA,
    FACT,
    RULE,
    TELLER,
    TIES,
    certainty,
    decided,
    is_native,
    is_open,
    of_subject,
    so_far,
    unpacked,
    whole,
)
from cutline.tables import verdict

_BITS, _WORST = 60, 7
_HASHED = (1 << _BITS) - 1

AGAIN_BUT_OTHER = "the same event came more than once, and this time with another payload"


def settled_facts(frame: DataFrame, policy: MergePolicy) -> DataFrame:
    """Asks the rules of ids and facts; adds `winner`, `supersedes` and `other_payload`."""
    if policy.supersede.enabled:
        frame = frame.withColumn("version", _version())
    frame = _again(frame, policy)
    frame = _superseded(frame, policy)
    return _best(frame, policy)


def _first_native(policy: MergePolicy) -> Column:
    return F.when(is_native() & F.lit(policy.prefer_native.enabled), 0).otherwise(1)


def _again(frame: DataFrame, policy: MergePolicy) -> DataFrame:
    """Of one id the best stays: what decides is what decides of one fact."""
    if not policy.duplicate_ids.enabled:
        return frame.withColumn("other_payload", F.lit(False))
    better: list[Column | str] = [_first_native(policy), certainty(), "sequence", "time", *TIES]
    if policy.supersede.enabled:
        better.insert(1, F.col("version").desc())
    same_id = of_subject("id").orderBy(F.col(RULE).isNotNull(), *better)
    frame = frame.withColumns(
        {
            "place": F.row_number().over(same_id),
            "told_first": F.first(DATA).over(same_id),
        }
    )
    return frame.withColumns(
        {
            RULE: decided(verdict.DUPLICATE_ID, F.col("place") > 1),
            "other_payload": F.col("told_first") != F.col(DATA),
        }
    ).drop("place", "told_first")


def _superseded(frame: DataFrame, policy: MergePolicy) -> DataFrame:
    """Adds `superseded`: whether the same translator, in a higher version, tells the fact.

    The translators of a fact lie one after the other and the highest version of each comes first,
    so the largest pair so far is the row's own translator in its highest version.
    """
    if not policy.supersede.enabled:
        return frame.withColumn("superseded", F.lit(False))
    frame = frame.withColumn("translator", unpacked("migtranslator"))
    concerned = is_open() & ~is_native() & F.col("version").isNotNull()
    order = of_subject(FACT).orderBy("translator", F.col("version").desc())
    highest = F.max(F.when(concerned, F.struct("translator", "version")))
    frame = frame.withColumn("highest", highest.over(so_far(order)))
    lower = concerned & (F.col("highest.version") > F.col("version"))
    return frame.withColumn("superseded", F.coalesce(lower, F.lit(False))).drop(
        "highest", "translator"
    )


def _best(frame: DataFrame, policy: MergePolicy) -> DataFrame:
    first_native = _first_native(policy)
    frame = frame.withColumns(
        {
            "lost": ~is_open() | F.col("superseded"),
            "goodness": first_native * 3 + certainty(),
        }
    )
    same_fact = of_subject(FACT).orderBy("lost", "goodness", "sequence", "time", "id", *TIES)
    everywhere = whole(same_fact)
    asked: dict[str, Column] = {
        "place": F.row_number().over(same_fact),
        "best": F.first("id").over(everywhere),
        "best_is_native": F.first(is_native() & ~F.col("lost")).over(everywhere),
    }
    if policy.undecided.enabled:
        asked["contradicted"] = _contradicted(everywhere)
    if policy.supersede.enabled:
        loser = F.max(F.when(F.col("superseded"), F.struct("version", "id")))
        asked["loser"] = loser.over(everywhere)
    frame = frame.withColumns(asked)
    frame = frame.withColumn("supersedes", _loser(policy))
    by_native = ~is_native() & F.col("best_is_native")
    best = F.col("best")
    steps = [
        (verdict.NATIVE_PREFERRED, policy.prefer_native.enabled, by_native),
        (verdict.SUPERSEDED, policy.supersede.enabled, F.col("superseded")),
    ]
    if policy.undecided.enabled:
        # What is told less well goes to the person too; where nobody won, none is a winner.
        steps.append((verdict.UNDECIDED, True, F.col("contradicted")))
        best = F.when(~F.col("contradicted"), best)
    steps.append((verdict.DUPLICATE_FACT, policy.duplicate_facts.enabled, F.col("place") > 1))
    rule = F.lit(None).cast("string")
    for name, enabled, holds in reversed(steps):
        if enabled:
            rule = F.when(holds, F.lit(name)).otherwise(rule)
    lost = (verdict.NATIVE_PREFERRED, verdict.SUPERSEDED, verdict.DUPLICATE_FACT)
    return (
        frame.withColumn(RULE, F.coalesce(RULE, rule))
        .withColumn(
            "winner",
            F.when(F.col(RULE).isin(*lost), best).when(
                F.col(RULE) == verdict.DUPLICATE_ID, F.col("id")
            ),
        )
        .drop("superseded", "lost", "goodness", "version", *asked)
    )


def _contradicted(same_fact: WindowSpec) -> Column:
    """Whether the best events of a fact come from several sources and differ in their payloads."""

    def differ(what: str) -> Column:
        # The best of all have the lowest goodness, so they are first in one order, last in the
        # other. It stands above a hash in one number: structs and texts take far longer.
        told = F.col(what).bitwiseAND(F.lit(_HASHED))
        least = F.min(F.when(~F.col("lost"), _above(F.col("goodness"), told)))
        most = F.max(F.when(~F.col("lost"), _above(_WORST - F.col("goodness"), told)))
        hashes = (one.over(same_fact).bitwiseAND(F.lit(_HASHED)) for one in (least, most))
        return next(hashes) != next(hashes)

    return F.coalesce(differ(TELLER) & differ(DATA), F.lit(False))


def _above(goodness: Column, told: Column) -> Column:
    return F.shiftleft(goodness.cast("bigint"), _BITS).bitwiseOR(told)


def _loser(policy: MergePolicy) -> Column:
    """What the best of a fact replaces: the highest of the versions that it supersedes."""
    if not policy.supersede.enabled:
        return F.lit(None).cast("string")
    won = (F.col("place") == 1) & ~F.col("lost") & ~is_native()
    return F.when(won, F.col("loser.id"))


def _version() -> Column:
    """A translator's version as a text that sorts as its three numbers do; null for none."""
    told = unpacked("migtranslatorver")
    parts = F.split(told, r"\.")
    return F.when(
        told.isNotNull(),
        F.array_join(F.transform(parts, lambda part: F.lpad(part, 12, "0")), "."),
    )
