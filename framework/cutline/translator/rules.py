"""The decorators with which a translator says what a row means.

Each source row has one end: the first of these that holds. The table `dispositions` has its
disposition, its rule and a sentence. `<name>` is the name of a part, a lookup or a view.

1. The snapshot shows the change already: `visible-in-snapshot`, `committed-before-the-snapshot`.
2. The row could not be read, fits no shape, or breaks its contract: `quarantined`, by the defect
   (such as `wrong-type:<column>`, `unknown-shape:…`) or the first check it breaks
   (`contract:<column>:<check>`, `contract:<method>`); `checks` has them all.
3. A column of its subject is null, or one of several holds "/", which joins them: `quarantined`,
   `subject-missing`.
4. The subject has several rows of one part: `ambiguous`, `several-rows:<name>`.
5. An update without an earlier image of its row: `quarantined`, `no-prior-image`.
6. A required part has no row: `quarantined`, `part-missing:<name>` or `part-awaited:<name>`. Of a
   deletion no part is required; while one is missing, no fact but `@removed` holds.
7. Several looked-up rows have the key: `ambiguous`, `several-rows:<name>`; a required lookup has
   none: `quarantined`, `lookup-missing:<name>` or `lookup-awaited:<name>`; a row that an optional
   one looks up was quarantined: `quarantined`, `lookup-unreadable:<name>`. A view of its commit is
   not known: `quarantined`, `commit-untold:<name>` or `commit-in-doubt:<name>`.
8. The translator's `@reject` rules: `quarantined`; then `@ambiguous`: `ambiguous`; then `@ignore`:
   `no-op`; each by the rule's own name. Then `@todo`: `quarantined`, `unmapped:<rule>`. Rules
   of one kind are asked in the order of declaration. Then, the only row of an optional part was
   quarantined: `quarantined`, `part-unreadable:<name>`, but for a deletion.
9. A value of a classifying column that no rule has an eye on: `quarantined`, `unmapped:<column>`
   (`unmapped:<part>.<column>` where there are several parts).
10. Facts that exclude each other hold both: `ambiguous`, `both:<fact>+<fact>`.
11. Two facts, or two elements of `each(…)`, announce one and the same event: `ambiguous`,
    `two-facts-one-key:<Event>`.
12. An event that holds is not what its payload's class says: `quarantined`,
    `payload:<Event>.<field>`, `payload:<Event>:subject-missing`,
    `payload:<Event>:occurrence-missing` or `per-row:<fact>:<error>`. Then the rules on moves are
    asked, if the image by itself is sound: `@reject`, `@ambiguous`, a lifecycle that quarantines
    moves (`lifecycle:<source>.<table>.<column>`), and the events of facts.
13. The row was deleted, and neither a `@removed` nor another fact announces an event:
    `quarantined`, `deletion-without-meaning`.
14. Another change of the row, sound or not, follows in its transaction: `no-op`,
    `within-its-transaction`; or while it was held (`…-awaited:<name>`) until nothing was missing:
    `changed-while-held`.
15. Events are announced: `translated`, by their types. None is: `no-op`, `nothing-to-announce`.

All rows of one commit and one subject have the end of the commit's image; of a row that the commit
wrote twice, the last change has it. Rows that were held have the end of the first later image in
which nothing is missing. A row that ends at one of 1 to 12 is not sound: it announces nothing, and
its values are not kept. The subject's next sound image is compared with its last sound one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from cutline.context import Event
from cutline.errors import ConfigurationError
from cutline.translator.names import as_names

Method = TypeVar("Method", bound=Callable[..., Any])
_MARK = "__cutline_rule__"
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

HOLDS, CHANGES, REMOVED = "fact", "changed", "removed"
REJECT, AMBIGUOUS, IGNORE, UNDERSTOOD, TODO = "reject", "ambiguous", "ignore", "understood", "todo"


@dataclass(frozen=True)
class FactRule:
    """A fact of a translator: the rule by which an event is announced.

    `kind` is when: `fact`, its predicate holds in `after` and did not in `before`; `changed`, one
    of the columns `of` differs; `removed`, the row was deleted, or its predicate came to hold.
    `many` facts can recur, and their occurrence is part of their identity. `transient` ones may
    have held before a snapshot without a trace. `excludes` are the names of facts that cannot hold
    on the same image. With `opening` the first value of a row is announced as well. `part` is the
    part whose deletion counts; null for the first. `per_row` facts run in Python. `on_move`: the
    method has a third parameter, the last sound image. `of_commit` are the views that the method
    reads: see InCommit.
    """

    name: str
    event: type[Event]
    method: Callable[..., Any]
    kind: str = HOLDS
    many: bool = False
    transient: bool = False
    excludes: tuple[str, ...] = ()
    per_row: bool = False
    of: tuple[str, ...] = ()
    opening: bool = False
    part: str | None = None
    on_move: bool = False
    of_commit: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowRule:
    """A named classification of a row, with its kind and the reason that people read.

    `on_move`: the method has a third parameter, the last sound image. With `opening` it is asked
    of a subject's first image as well.
    """

    name: str
    kind: str
    method: Callable[..., Any]
    reason: str
    on_move: bool = False
    opening: bool = False


def fact(
    event: type[Event],
    *,
    many: bool = False,
    transient: bool = False,
    excludes: str | Sequence[str] = (),
    per_row: bool = False,
    opening: bool = False,
) -> Callable[[Method], Method]:
    """Announce `event` when its predicate comes to hold; from a snapshot row, when it holds.

    The method returns an Occurrence (or `each(…)`) of the event on one image of the row. The
    predicate comes to hold if it did not hold on the subject's last sound image. A null predicate
    does not hold.

    A fact happens once to a subject. With `many` it can recur, and its occurrence is part of its
    identity: the event's `identified_by` fields (such an event is `many` anyway), else the
    occurrence's `key`, else its `at`, else the position of the change in its source. A snapshot row
    has no such position, so that such a fact is announced from changes only. Where a `key` or the
    `at` that tells them apart is null, the row is quarantined,
    `payload:<Event>:occurrence-missing`.

    A fact is lasting: once it holds it goes on holding, so that a snapshot shows all of it. Say
    `transient` of one that can cease to hold, or that shows only its last occurrence.

    `excludes` names methods of other facts that cannot hold on the same image: a row where both do
    is ambiguous.

    `per_row` hands the method Python values (None for null), row by row, for what columns cannot
    say. It returns an Occurrence, a list of them, or None; what it raises quarantines the row as
    `per-row:<fact>:<error>`. It costs several times as much (one of four facts makes the stage take
    about 2.5 times as long), `cutline check` and the report name it. The columns that it
    reads are not known: it has no eye on a classifying column, and its events from a snapshot
    are never `exact`.

    A method with a third parameter is a rule on a move: `def returned(self, row, was)`. `was` is
    the subject's last sound image before this one, with its parts and lookups as they were then,
    and each change for which the predicate holds of the two announces the event. Such a fact is
    transient, for a snapshot does not show where a row came from: of a snapshot's row, and of any
    that is the first of its subject, it says nothing. With `opening` it is asked there too, and
    every column of `was` is null: say by what a row shows that it has moved, as in
    `(was.status == "L") | (was.status.isNull() & row.returned_at.isNotNull())`. A fact on a move
    excludes no other fact, and is neither `per_row` nor an `each(…)`.

    A fact that asks what else its commit did (`row.<view>.deleted`, see InCommit) is transient too,
    and of a snapshot's row it says nothing. It is announced of each commit for which it holds; one
    that can happen again to a subject is `many`. It is neither `per_row` nor an `each(…)`.
    """
    names = as_names(excludes)

    def mark(method: Method) -> Method:
        moves = is_on_move(method)
        rule = FactRule(
            method.__name__,
            event,
            method,
            HOLDS,
            many,
            transient or moves,
            names,
            per_row,
            opening=opening,
            on_move=moves,
        )
        return _mark_method(method, rule)

    return mark


def changed(
    event: type[Event], *, of: str | Sequence[str], opening: bool = False
) -> Callable[[Method], Method]:
    """Announce `event` when one of the columns `of` differs from what it was, null or not.

    Columns are named as `premium`, or `<part>.premium` where the translator has several parts. The
    method returns an Occurrence; its `when`, if given, must hold too. A change can always recur, so
    it has an occurrence, as for a `many` fact; and it is transient, for a snapshot shows the last
    value only. What moved while the row could not be read is told when it can be read again. With
    `opening`, the value that a row is first seen with, in a snapshot or when it is created, is
    announced as well; from a snapshot, which has no position to tell it by, only with a `key`, an
    `at` or an event `identified_by` its fields.
    """
    names = as_names(of)

    def mark(method: Method) -> Method:
        return _mark_method(
            method,
            FactRule(
                method.__name__, event, method, CHANGES, True, True, of=names, opening=opening
            ),
        )

    return mark


def removed(event: type[Event], *, part: str | None = None) -> Callable[[Method], Method]:
    """Announce `event` when the row is deleted, or when it is marked as deleted.

    The method returns an Occurrence on the last image that there was; its `when` is the mark of a
    soft delete, and false where there is none (`when=False`). What was marked before it was deleted
    is announced once; of a row that no rule ever let through, nothing is. `part` names the part
    whose row it is; the first, if not said. It is transient: what was deleted before the snapshot
    has left no trace.
    """

    def mark(method: Method) -> Method:
        return _mark_method(
            method,
            FactRule(method.__name__, event, method, REMOVED, transient=True, part=part),
        )

    return mark


def reject(rule: str, *, opening: bool = False) -> Callable[[Method], Method]:
    """The method returns a predicate; rows where it holds are quarantined under `rule`.

    The method's docstring is the reason that people read. A predicate that is null does not hold,
    here and in the other rules: say what of a null, as in `row.x.isNull() | (row.x == "?")`.

    A method with a third parameter, `def reopened(self, row, was)`, is a rule on a move, as with
    `@fact`: `was` is the last sound image. A row that made such a move is put aside until, from
    where it was last sound, it stands where no rule forbids it; touching it does not mend it. Of a
    row that came from nowhere nothing is asked, unless with `opening`.
    """
    return _row_rule(REJECT, rule, opening=opening)


def ambiguous(rule: str, *, opening: bool = False) -> Callable[[Method], Method]:
    """As `reject`, for rows that could mean two things: a person must decide which.

    Their disposition is `ambiguous`, under the name `rule`.
    """
    return _row_rule(AMBIGUOUS, rule, opening=opening)


def ignore(rule: str) -> Callable[[Method], Method]:
    """The method returns a predicate; rows where it holds mean nothing to this context.

    Their disposition is `no-op`, under the name `rule`; no fact is asked. The docstring says why.
    """
    return _row_rule(IGNORE, rule)


def understood(rule: str) -> Callable[[Method], Method]:
    """The method returns a predicate on a classifying column: these values are known.

    They announce nothing of their own, and facts are asked as ever. A rule has an eye on
    a row's value if it holds for the row and its predicate reads that column: an `@understood`, or
    a fact by its `when`. Other rows are quarantined as `unmapped:<column>`, null too.

    With a third parameter, `def kept(self, row, was)`, it says that a move is known: `cutline
    coverage` lists the moves in the data, and those that no rule has an eye on. A rule on a move
    has no eye on a value.
    """
    return _row_rule(UNDERSTOOD, rule)


def todo(rule: str) -> Callable[[Method], Method]:
    """The method returns a predicate; nobody has decided yet what rows where it holds mean.

    They are quarantined as `unmapped:<rule>`, and `cutline check --strict` fails while there are
    any. Scaffolds are made of these.
    """
    return _row_rule(TODO, rule)


def rules_of(translator: type) -> tuple[list[FactRule], list[RowRule]]:
    """The facts and the row rules of a translator class, inherited ones first, as declared."""
    rules: dict[str, FactRule | RowRule] = {}
    for cls in reversed(translator.__mro__):
        for name, member in vars(cls).items():
            rule = getattr(member, _MARK, None)
            if rule is not None:
                rules[name] = rule
            elif name in rules:
                del rules[name]
    facts = [r for r in rules.values() if isinstance(r, FactRule)]
    rows = [r for r in rules.values() if isinstance(r, RowRule)]
    return facts, rows


def _row_rule(kind: str, rule: object, *, opening: bool = False) -> Callable[[Method], Method]:
    if not isinstance(rule, str):
        # Without its parentheses a decorator would take the method for the name, and drop the rule.
        named = getattr(rule, "__name__", "")
        raise ConfigurationError(
            f"method {named or repr(rule)}: the rule has no name",
            next_step=f'Write @{kind}("{named.replace("_", "-")}"): the name is what rows are '
            "counted under.",
        )

    def mark(method: Method) -> Method:
        reason = " ".join((method.__doc__ or rule).split())
        moves = is_on_move(method)
        return _mark_method(method, RowRule(rule, kind, method, reason, moves, opening))

    return mark


def is_on_move(method: Callable[..., Any]) -> bool:
    """Whether a rule's method has a third parameter, the last sound image before the row."""
    parameters = inspect.signature(method).parameters.values()
    required = [p for p in parameters if p.default is inspect.Parameter.empty]
    return sum(p.kind in _POSITIONAL for p in required) > 2


def _mark_method(method: Method, rule: FactRule | RowRule) -> Method:
    setattr(method, _MARK, rule)
    return method
