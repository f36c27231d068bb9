"""What a condition on rows may say, where people write it as SQL.

Spark's SQL reads files, calls Java and tells in an error what was hidden. So a condition is parsed,
and every node of it must be listed here: an expression over the columns of its own table, of
functions that give the same for the same row, read nothing and raise nothing on purpose.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NODES = """
And Or Not EqualTo EqualNullSafe LessThan LessThanOrEqual GreaterThan GreaterThanOrEqual In
IsNull IsNotNull Like ILike RLike LikeAny LikeAll NotLikeAny NotLikeAll Literal Cast CaseWhen
Add Subtract Multiply Divide IntegralDivide Remainder UnaryMinus UnaryPositive Concat Lower Upper
Substring StringTrim StringTrimLeft StringTrimRight StringTrimBoth StringLocate
UnresolvedAttribute UnresolvedExtractValue LambdaFunction UnresolvedNamedLambdaVariable
NamedParameter
"""
# Of texts, of nulls and choices, of numbers, of types, of days and times, of what holds several
# values, and for taking samples.
_FUNCTIONS = """
lower upper lcase ucase trim ltrim rtrim btrim length len char_length character_length
substring substr left right concat concat_ws replace translate instr locate position
reverse split split_part initcap ascii startswith endswith contains like ilike rlike
regexp regexp_like regexp_extract regexp_replace regexp_count regexp_substr regexp_instr
coalesce nvl nvl2 ifnull nullif isnull isnotnull isnan nanvl if between greatest least
abs round bround floor ceil ceiling sign signum mod pmod div sqrt cbrt power pow exp ln log
log2 log10 positive negative try_add try_subtract try_multiply try_divide
int bigint smallint tinyint double float decimal string boolean date timestamp
try_to_number try_to_timestamp try_to_date to_date to_timestamp typeof
year month day dayofmonth dayofweek dayofyear weekday weekofyear quarter hour minute second
extract date_part datepart date_add date_sub dateadd datediff date_diff add_months
months_between last_day trunc date_trunc date_format make_date unix_date unix_micros
unix_millis unix_seconds
size cardinality array array_size array_contains array_position array_join arrays_overlap
array_distinct element_at try_element_at exists forall filter transform map_keys map_values
map_contains_key get_json_object json_array_length
md5 sha1 sha sha2 xxhash64 hash crc32
"""
# These look like columns, and are functions where no column has the name.
_LOOK_LIKE_COLUMNS = """
current_date current_timestamp current_time localtimestamp current_user session_user user
current_catalog current_database current_schema grouping__id
"""
_IN_SUBQUERIES = """
InSubquery ListQuery Exists ScalarSubquery Alias UnresolvedAlias UnresolvedStar SortOrder
Project Filter UnresolvedRelation SubqueryAlias Join Aggregate UnresolvedHaving Distinct
OneRowRelation Union
"""
NODES, FUNCTIONS = frozenset(_NODES.split()), frozenset(_FUNCTIONS.split())
_NAMELESS = frozenset(_LOOK_LIKE_COLUMNS.split())
_WITHIN = NODES | frozenset(_IN_SUBQUERIES.split())
_AGGREGATES = frozenset({"count", "sum", "min", "max"})


def refusal_of_condition(
    spark: SparkSession, sql: str, columns: Collection[str], tables: Collection[str] = ()
) -> str | None:
    """Why a condition is refused, naming what it asks for; null where it may be asked.

    `tables` are those that it may look into by subqueries, by their names; where there are none,
    it may hold no subquery. Spark's ParseException is raised for what is no SQL expression.
    """
    parser: Any = spark._jsparkSession.sessionState().sqlParser()
    known_tables = {name.casefold() for name in tables}
    nodes, functions = (_WITHIN, FUNCTIONS | _AGGREGATES) if known_tables else (NODES, FUNCTIONS)
    for node in _nodes(parser.parseExpression(sql)):
        kind = str(node.getClass().getSimpleName()).rstrip("$")
        if kind == "UnresolvedFunction":
            name = ".".join(_texts(node.nameParts()))
            if name.casefold() not in functions:
                return f"the function {name} is none that a condition may ask"
        elif kind == "UnresolvedRelation":
            name = ".".join(_texts(node.multipartIdentifier()))
            if name.casefold() not in known_tables:
                return f"{name} is no table of this source"
        elif kind not in nodes:
            return f"it holds a {_kind_in_words(kind)}, and may be an expression over columns only"
        elif kind == "UnresolvedAttribute":
            name = str(node.name()).strip("`").casefold()
            if name in _NAMELESS and name not in {c.casefold() for c in columns}:
                return f"{name} is no column, and depends on who asks and when"
    return None


def _nodes(expression: Any) -> Iterator[Any]:
    """A parsed expression and all that is in it, the plans of subqueries too."""
    yield expression
    for inner in _each(expression.children()):
        yield from _nodes(inner)
    if expression.getClass().getSimpleName() in ("ListQuery", "Exists", "ScalarSubquery"):
        yield from _nodes_of_plan(expression.plan())


def _nodes_of_plan(plan: Any) -> Iterator[Any]:
    yield plan
    for inner in _each(plan.children()):
        yield from _nodes_of_plan(inner)
    for expression in _each(plan.expressions()):
        yield from _nodes(expression)


def _each(several: Any) -> Iterator[Any]:
    iterator = several.iterator()
    while iterator.hasNext():
        yield iterator.next()


def _texts(names: Any) -> list[str]:
    return [str(names.apply(i)) for i in range(names.length())]


def _kind_in_words(kind: str) -> str:
    return {
        "InSubquery": "subquery",
        "ListQuery": "subquery",
        "Exists": "subquery",
        "ScalarSubquery": "subquery",
        "WindowExpression": "window",
        "UnresolvedStar": "star",
    }.get(kind, kind)
