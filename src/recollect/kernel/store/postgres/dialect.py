"""The PostgreSQL dialect.

A value is `jsonb` wherever it is compared, and the JSON text that was said where it is shown. What
the server has no function for is made in `functions.py`.
"""

from __future__ import annotations

from recollect.kernel.store.cells import drawn_id
from recollect.kernel.store.port import ORDERS, Dialect, JsonPart
from recollect.kernel.store.postgres.overrides import OVERRIDES
from recollect.kernel.store.postgres.patterns import translated

_ITEMS = "(SELECT item.value{1} AS value FROM {0} AS item(value))"

_LISTED = (
    "(SELECT item.value{}, item.place - 1 AS key FROM jsonb_array_elements{}(:{{0}}::jsonb)"
    " WITH ORDINALITY AS item(value, place)) AS {{1}}"
)

_RANK = (
    "CASE {} WHEN 'boolean' THEN 0 WHEN 'number' THEN 1"
    " WHEN 'string' THEN 2 WHEN 'array' THEN 3 WHEN 'object' THEN 3 END"
)

_NUMBER = (  # the cases of an expression
    "jsonb_typeof({0}) WHEN 'number' THEN ({0})::numeric"
    " WHEN 'boolean' THEN ({0})::boolean::integer"
)


_NUMBER_IN = "CASE WHEN {0} = 'number' THEN ({1})::numeric END"
_TEXT_IN = "(CASE WHEN {0} = 'string' THEN ({1}) #>> '{{}}' END COLLATE \"C\")"


def _beyond(held: str, order: str) -> str:
    """Return a comparison that an index serves, which has little of a long value: see `indexed`."""
    return f"({held} {order} {{2}} AND indexed({{1}}) {order[0]}= indexed(to_jsonb({{2}})))"


def _render_json(part: JsonPart, document: str, key: str | None) -> str:
    at = "" if key is None else f" -> {_literal(key)}"
    match part:
        case JsonPart.TYPE:
            return f"jsonb_typeof({document}{at})"
        case JsonPart.VALUE:
            return f"({document}{at})"
        case JsonPart.JSON:
            return f"({document}::json{at})::text"
        case JsonPart.ID:
            return f"({document}::json{at})::text::bigint"


def _literal(key: str) -> str:
    """Return a key as an SQL literal: a bound key never uses an expression index."""
    return "'" + key.replace("'", "''") + "'"


POSTGRES = Dialect(
    name="postgres",
    functions={
        "always": "TRUE",
        "any_value": "any_value({})",
        "array": "coalesce({}, '[]')::text",
        "as_boolean": "to_jsonb({} <> 0)",
        "as_value": "to_jsonb({})",
        "bare": "{}",
        "canonical_json": '(canonical_json(({})::jsonb) COLLATE "C")',
        "canonical_value": (
            "(CASE WHEN jsonb_typeof({0}) IN ('array', 'object') THEN canonical_json({0}) END"
            ' COLLATE "C")'
        ),
        "coalesce": "coalesce({}, {})",
        "comparable": "nullif({1}, 'null'::jsonb)",
        "contains": "(strpos({}, {}) > 0)",
        "each": _ITEMS.format("json_array_elements_text(({})::json)", "::bigint"),
        "each_row": "json_array_elements(({})::json)",
        "each_text": _ITEMS.format("json_array_elements_text(({})::json)", ""),
        "each_value": _ITEMS.format("jsonb_array_elements(value_of({}))", "::numeric"),
        "from_text": "({0} >= {1} AND left({0}, 500) >= left({1}, 500))",
        "name_order": "left({0}, 500){1}, {0}{1}",
        "equals_text": "({0} = {1} AND left({0}, 500) = left({1}, 500))",
        "among_texts": (
            "({0} IN {1} AND left({0}, 500)"
            " = ANY (ARRAY(SELECT left(one.value, 500) FROM {1} AS one(value))))"
        ),
        "equals_given": "({0} = {1} AND indexed({0}) = indexed({1}))",
        "ends_with": "(right({0}, length({1})) = {1})",
        "hidden": "({} + 0)",
        "instant": (  # in two parts, since an interval is multiplied as a double
            "(to_char(timestamp 'epoch' + {0} / 86400000 * interval '1 day'"
            " + {0} % 86400000 * interval '1 millisecond',"
            ' \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\') COLLATE "C")'
        ),
        "is_integer": "({} !~ '[.eE]')",
        "is_json_boolean": "({} = 'boolean')",
        "is_json_number": "({} = 'number')",
        "is_json_text": "({} = 'string')",
        "is_real": "({} ~ '[.eE]')",
        "json": "({})::json",
        "json_boolean": "to_jsonb({} <> 0)::text",
        "json_given": "({})::text",
        "json_group_array": "json_agg",
        "json_number": "({})::text",
        "json_or_null": "nullif({}, 'null')",
        "json_quote": "to_json({})::text",
        "least": "least({}, {})",
        "never": "FALSE",
        "number_in": _NUMBER_IN,
        "number_of": _NUMBER_IN,
        "number_value": f"CASE {_NUMBER} END",
        "object": "json_build_object({})",
        "parsed": "value_of({})",
        "public_id": '(public_id({}, {}) COLLATE "C")',
        "rank": _RANK.format("jsonb_typeof({})"),
        "read_number": "({})::numeric",
        "real": "({})::numeric",
        "real_number": "({})::float8",
        "regex": "({} ~ {})",
        "said": (  # a double of 17 digits looks like a whole number in jsonb
            "CASE WHEN {0} = 'number' THEN CASE WHEN abs(({1})::numeric) < 10000000000000000"
            " THEN ({1}) #>> '{{}}' ELSE {2} END END"
        ),
        "same": "({} IS NOT DISTINCT FROM {})",
        "shown_number": "({})::text",
        "starts_with": "starts_with({}, {})",
        "sum_of_reals": "json_agg",
        "text_in": _TEXT_IN,
        "text_of": _TEXT_IN,
        "text_value": (
            "(CASE WHEN jsonb_typeof({0}) = 'string' THEN ({0}) #>> '{{}}' END COLLATE \"C\")"
        ),
        "type_rank": _RANK,
        "whole_number": "({})::bigint",
        **{f"number {one}": _beyond(_NUMBER_IN, one) for one in ORDERS},
        **{f"text {one}": _beyond(_TEXT_IN, one) for one in ORDERS},
    },
    inner_join="INNER JOIN",
    is_fenced=True,
    render_json=_render_json,
    apart="OFFSET 0",
    parameter=":",
    longest_name=63,
    words={
        "attribute_indexes": (
            "(SELECT c.relname::text AS name, i.indisvalid AS is_whole FROM pg_class AS c"
            " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " JOIN pg_index AS i ON i.indexrelid = c.oid"
            " WHERE n.nspname = current_schema() AND c.relname LIKE 'attribute%:%') AS {0}"
        ),
        "numbers": _LISTED.format("::bigint AS value", "_text"),
        "texts": _LISTED.format("", "_text"),
        "rows": _LISTED.format("", ""),
        "pairs": (
            "(SELECT item.key, item.value::bigint AS value FROM"
            " jsonb_each_text(:{0}::jsonb) AS item(key, value)) AS {1}"
        ),
        "cell": "({0} ->> {1})::{2}",
        "octets": "decode({0} ->> {1}, 'hex')",
        "members": (  # the types have the names that they have in a file
            "LATERAL (SELECT item.key, item.value, CASE jsonb_typeof(item.value)"
            " WHEN 'string' THEN 'text' WHEN 'boolean' THEN item.value::text WHEN 'number' THEN"
            " CASE WHEN scale((item.value)::numeric) = 0 THEN 'integer' ELSE 'real' END"
            " ELSE jsonb_typeof(item.value) END AS type"
            " FROM jsonb_each(({0})::jsonb) AS item(key, value)) AS {1}"
        ),
        "elements": "jsonb_array_elements_text(({0})::jsonb) AS {1}(value)",
        "is_json": "TRUE",  # the column of its value could not be made of another text
        "text_at": "(({0})::jsonb ->> {1})",
        "is_text": "(jsonb_typeof({0} -> '{1}') = 'string')",
        "then": "INNER JOIN",
        "is_object": "(json_typeof(({0})::json) = 'object')",
        "json": "{0}_value",
        "least": "least({0}, {1})",
        "greatest": "greatest({0}, {1})",
        "limit": "LIMIT nullif(:{0}::bigint, -1)",
        "by": "",
        "by_none": "",
        "hidden": "({0} + 0)",
        "in_line": (
            "CASE jsonb_typeof({0} -> 'order') WHEN 'number' THEN ({0} ->> 'order')::float8"
            " ELSE 'Infinity'::float8 END"
        ),
        "equals": "({0} = {1} AND left({0}, 500) = left({1}, 500))",
        "indexed": "indexed({0})",
        "among": (
            "({0} IN (SELECT one.value FROM {1})"
            " AND indexed({0}) IN (SELECT indexed(one.value) FROM {1}))"
        ),
        "unindexed": "({0})",
        "in_order": (  # numbers by number before texts; a row with a NULL in it would be NULL
            "(CASE WHEN {0} #>> '{{}}' IS NOT NULL THEN"
            f" ROW(CASE {_NUMBER} ELSE 'Infinity' END,"
            " CASE WHEN jsonb_typeof({0}) IN ('number', 'boolean') THEN ''"
            " ELSE {0} #>> '{{}}' END COLLATE \"C\") END)"
        ),
        "part_of": "(strpos({0}, {1}) > 0)",
    },
    has_types=True,
    id_bits=drawn_id,
    pattern=translated,
    value_order=(("number_value", "numeric"), ("text_value", "text"), ("canonical_value", "text")),
    overrides=OVERRIDES,
)
