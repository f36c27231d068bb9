"""The merge rules about several events of one id, or of one fact."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, WindowSpec
from pyspark.sql import functions as F

from cutline.context.merge_policy import MergePolicy
from cutline.engine.frames import step
from cutline.engine.merge.columns import (
    confidence_rank,
    decide_open,
    event_column,
    is_native,
    is_open,
    running_window,
    subject_window,
    whole_window,
)
from cutline.engine.merge.frames import (
    CANDIDATES_WITH_RULE,
    FACT,
    OTHER_PAYLOAD,
    PAYLOAD_HASH,
    RULE,
    SOURCE_HASH,
    SUPERSEDES,
    TIE_BREAKERS,
    WINNER,
)
from cutline.tables import verdict

_HASH_BITS, _WORST_QUALITY = 60, 7
_HASH_MASK = (1 << _HASH_BITS) - 1

ID_WITH_OTHER_PAYLOAD = "the same event came more than once, and this time with another payload"


@step(needs=CANDIDATES_WITH_RULE, adds=(OTHER_PAYLOAD, SUPERSEDES, WINNER))
def deduplicate_facts(candidates: DataFrame, policy: MergePolicy) -> DataFrame:
    """The candidates with RULE where the rules about ids and facts decide."""
    if policy.supersede.enabled:
        candidates = candidates.withColumn("version", _sortable_version())
    candidates = _drop_repeated_ids(candidates, policy)
    candidates = _with_superseded(candidates, policy)
    return _choose_best_of_fact(candidates, policy)


def _native_first(policy: MergePolicy) -> Column:
    """0 for native events, if the policy prefers them; 1 for all others."""
    return F.when(is_native() & F.lit(policy.prefer_native.enabled), 0).otherwise(1)


def _drop_repeated_ids(candidates: DataFrame, policy: MergePolicy) -> DataFrame:
    """Decides DUPLICATE_ID for all but the best event of an id; adds OTHER_PAYLOAD."""
    if not policy.duplicate_ids.enabled:
        return candidates.withColumn(OTHER_PAYLOAD, F.lit(False))
    order: list[Column | str] = [
        _native_first(policy),
        confidence_rank(),
        "sequence",
        "time",
        *TIE_BREAKERS,
    ]
    if policy.supersede.enabled:
        order.insert(1, F.col("version").desc())
    same_id = subject_window("id").orderBy(F.col(RULE).isNotNull(), *order)
    candidates = candidates.withColumns(
        {
            "place": F.row_number().over(same_id),
            "best_payload": F.first(PAYLOAD_HASH).over(same_id),
        }
    )
    return candidates.withColumns(
        {
            RULE: decide_open(verdict.DUPLICATE_ID, F.col("place") > 1),
            OTHER_PAYLOAD: F.col("best_payload") != F.col(PAYLOAD_HASH),
        }
    ).drop("place", "best_payload")


def _with_superseded(candidates: DataFrame, policy: MergePolicy) -> DataFrame:
    """Adds `superseded`: whether a higher version of the same translator announces the fact.

    The rows of a fact are sorted by translator, each with its highest version first. So the
    largest pair of translator and version so far is the row's own translator in its highest.
    """
    if not policy.supersede.enabled:
        return candidates.withColumn("superseded", F.lit(False))
    candidates = candidates.withColumn("translator", event_column("migtranslator"))
    versioned = is_open() & ~is_native() & F.col("version").isNotNull()
    order = subject_window(FACT).orderBy("translator", F.col("version").desc())
    highest = F.max(F.when(versioned, F.struct("translator", "version")))
    candidates = candidates.withColumn("highest", highest.over(running_window(order)))
    lower = versioned & (F.col("highest.version") > F.col("version"))
    return candidates.withColumn("superseded", F.coalesce(lower, F.lit(False))).drop(
        "highest", "translator"
    )


def _choose_best_of_fact(candidates: DataFrame, policy: MergePolicy) -> DataFrame:
    """Decides about all but the best event of each fact; adds WINNER and SUPERSEDES."""
    candidates = candidates.withColumns(
        {
            "ruled_out": ~is_open() | F.col("superseded"),
            # From 0, the best: native before synthetic, then by confidence.
            "quality": _native_first(policy) * 3 + confidence_rank(),
        }
    )
    same_fact = subject_window(FACT).orderBy(
        "ruled_out", "quality", "sequence", "time", "id", *TIE_BREAKERS
    )
    whole_fact = whole_window(same_fact)
    of_fact: dict[str, Column] = {
        "place": F.row_number().over(same_fact),
        "best": F.first("id").over(whole_fact),
        "best_is_native": F.first(is_native() & ~F.col("ruled_out")).over(whole_fact),
    }
    if policy.undecided.enabled:
        of_fact["contradicted"] = _best_events_contradict(whole_fact)
    if policy.supersede.enabled:
        replaced = F.max(F.when(F.col("superseded"), F.struct("version", "id")))
        of_fact["replaced"] = replaced.over(whole_fact)
    candidates = candidates.withColumns(of_fact)
    candidates = candidates.withColumn(SUPERSEDES, _superseded_id(policy))
    best = F.col("best")
    rules = [
        (
            verdict.NATIVE_PREFERRED,
            policy.prefer_native.enabled,
            ~is_native() & F.col("best_is_native"),
        ),
        (verdict.SUPERSEDED, policy.supersede.enabled, F.col("superseded")),
    ]
    if policy.undecided.enabled:
        # All events of the fact are undecided, those of less quality too; none is the winner.
        rules.append((verdict.UNDECIDED, True, F.col("contradicted")))
        best = F.when(~F.col("contradicted"), best)
    rules.append((verdict.DUPLICATE_FACT, policy.duplicate_facts.enabled, F.col("place") > 1))
    first_rule = F.lit(None).cast("string")
    for name, enabled, condition in reversed(rules):
        if enabled:
            first_rule = F.when(condition, F.lit(name)).otherwise(first_rule)
    losing = (verdict.NATIVE_PREFERRED, verdict.SUPERSEDED, verdict.DUPLICATE_FACT)
    return (
        candidates.withColumn(RULE, F.coalesce(RULE, first_rule))
        .withColumn(
            WINNER,
            F.when(F.col(RULE).isin(*losing), best).when(
                F.col(RULE) == verdict.DUPLICATE_ID, F.col("id")
            ),
        )
        .drop("superseded", "ruled_out", "quality", "version", *of_fact)
    )


def _best_events_contradict(whole_fact: WindowSpec) -> Column:
    """Whether the best events of a fact come from several sources and differ in their payloads."""

    def differs(hash_column: str) -> Column:
        # The lowest quality number comes first in one order and last in the other, so the best
        # events agree in the hash only if both ends do. Quality stands above the hash in one
        # number, because structs and texts take far longer to compare.
        bits = F.col(hash_column).bitwiseAND(F.lit(_HASH_MASK))
        lowest = F.min(F.when(~F.col("ruled_out"), _quality_over(F.col("quality"), bits)))
        highest = F.max(
            F.when(~F.col("ruled_out"), _quality_over(_WORST_QUALITY - F.col("quality"), bits))
        )
        low, high = (
            end.over(whole_fact).bitwiseAND(F.lit(_HASH_MASK)) for end in (lowest, highest)
        )
        return low != high

    return F.coalesce(differs(SOURCE_HASH) & differs(PAYLOAD_HASH), F.lit(False))


def _quality_over(quality: Column, bits: Column) -> Column:
    """One number that sorts by quality first, then by the bits of a hash."""
    return F.shiftleft(quality.cast("bigint"), _HASH_BITS).bitwiseOR(bits)


def _superseded_id(policy: MergePolicy) -> Column:
    """Of the best event of a fact, the id of the highest version that it replaces; else null."""
    if not policy.supersede.enabled:
        return F.lit(None).cast("string")
    is_best = (F.col("place") == 1) & ~F.col("ruled_out") & ~is_native()
    return F.when(is_best, F.col("replaced.id"))


def _sortable_version() -> Column:
    """A translator's version as a text that sorts as its three numbers do; null for none."""
    version = event_column("migtranslatorver")
    numbers = F.split(version, r"\.")
    return F.when(
        version.isNotNull(),
        F.array_join(F.transform(numbers, lambda number: F.lpad(number, 12, "0")), "."),
    )
