"""The SQLite dialect."""

from __future__ import annotations

import orjson

from recollect.kernel.store.port import ORDERS, Dialect, JsonPart
from recollect.kernel.store.statements.counts import COUNT_IDS


def _render_json(part: JsonPart, document: str, key: str | None) -> str:
    path = "'$'" if key is None else _path(key)
    match part:
        case JsonPart.TYPE:
            return f"json_type({document}, {path})"
        case JsonPart.JSON:
            return f"({document} -> {path})"
        case JsonPart.VALUE | JsonPart.ID:
            return f"({document} ->> {path})"


def _path(key: str) -> str:
    """Return a JSON path as an SQL literal: a bound path never uses an expression index."""
    quoted = orjson.dumps(key).decode()
    return "'$." + quoted.replace("'", "''") + "'"


SQLITE = Dialect(
    name="sqlite",
    functions={
        "always": "1",
        "any_value": "{}",  # a column that is not aggregated has the value of one of the rows
        "array": "{}",
        "as_boolean": "{}",
        "as_value": "{}",
        "bare": "+{}",  # without a column's affinity
        "canonical_json": "canonical_json({})",
        "coalesce": "coalesce({}, {})",
        "comparable": (  # number < text < blob, as SQLite orders storage classes
            "CASE {0} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'"
            " WHEN 'object' THEN CAST(canonical_json({2}) AS BLOB)"
            " WHEN 'array' THEN CAST(canonical_json({2}) AS BLOB) ELSE {1} END"
        ),
        "contains": "(instr({}, {}) > 0)",
        "from_text": "({} >= {})",  # likewise
        "name_order": "{}{}",  # a name with an index, and which way
        "equals_text": "({} = {})",  # a text with an index, and another one
        "among_texts": "({} IN {})",  # likewise, and a SELECT of texts
        "equals_given": "({0} = {1})",  # a value that may have an index, and a constant
        "each": "json_each({})",
        "each_row": "json_each({})",
        "each_text": "json_each({})",
        "each_value": "json_each({})",
        "ends_with": "({0} IS NOT NULL AND ({1} = '' OR substr({0}, -length({1})) = {1}))",
        "hidden": "+{}",  # a column that no index is to be taken for
        "instant": "strftime('%Y-%m-%dT%H:%M:%fZ', {} / 1000.0, 'unixepoch')",
        "is_integer": "(typeof({}) = 'integer')",
        "is_json_boolean": "({} IN ('true', 'false'))",
        "is_json_number": "({} IN ('integer', 'real'))",
        "is_json_text": "({} = 'text')",
        "is_real": "(typeof({}) = 'real')",
        "json": "json({})",
        "json_boolean": "CASE {} WHEN 1 THEN 'true' ELSE 'false' END",
        "json_given": "{}",
        "json_number": "json({})",
        "json_or_null": "nullif({}, 'null')",
        "json_quote": "json_quote({})",
        "least": "min({}, {})",
        "never": "0",
        "number_in": "{1}",
        "number_of": "CASE WHEN {0} IN ('integer', 'real') THEN {1} END",
        "object": "json_object({})",
        "public_id": "public_id({}, {})",
        "rank": "({} NOT IN (x'00', x'01'))",  # booleans before everything else
        "real": "CAST({} AS REAL)",
        "regex": "re2_search({1}, {0})",
        "read_number": "{}",
        "real_number": "{}",
        "said": "CASE WHEN {0} IN ('integer', 'real') THEN {1} END",
        "same": "({} IS {})",
        "shown_number": "{}",
        "starts_with": "(substr({0}, 1, length({1})) = {1})",
        "sum_of_reals": "sum",
        "text_in": "{1}",
        "text_of": "CASE WHEN {0} = 'text' THEN {1} END",
        "type_rank": "(nullif({}, 'null') NOT IN ('true', 'false'))",  # the same, of a type's name
        "whole_number": "{}",
        **{f"number {one}": f"({{1}} {one} {{2}})" for one in ORDERS},
        **{f"text {one}": f"({{1}} {one} {{2}})" for one in ORDERS},
    },
    inner_join="CROSS JOIN",  # SQLite never reorders across it
    is_fenced=False,
    render_json=_render_json,
    apart="LIMIT -1",
    parameter=":",
    longest_name=None,
    words={
        "attribute_indexes": (
            "(SELECT s.name, 1 AS is_whole FROM sqlite_schema AS s"
            " WHERE s.type = 'index' AND s.name LIKE 'attribute%:%') AS {0}"
        ),
        # A bound JSON array as a table: {numbers ids w} has w.value, and w.key, its place from 0.
        "numbers": "json_each(:{0}) AS {1}",
        "texts": "json_each(:{0}) AS {1}",
        "rows": "jsonb_each(:{0}) AS {1}",  # of arrays or objects, each in w.value, parsed once
        "pairs": "json_each(:{0}) AS {1}",  # an object of numbers: a text w.key, w.value
        "cell": "({0} ->> {1})",  # {cell w.value 0 bigint}: of a row; {cell w.value 'name' text}
        "octets": "unhex({0} ->> {1})",  # {octets w.value 0}: of a row, bytes in hexadecimal
        "members": "json_each({0}) AS {1}",  # of an object: w.key, w.value, w.type
        "elements": "json_each({0}) AS {1}",  # of an array: w.value
        "is_json": "json_valid({0})",
        "text_at": "({0} ->> {1})",  # the text at a key of an object
        "is_text": "(json_type({0}, '$.{1}') = 'text')",  # whether there is one; the key is a word
        "then": "CROSS JOIN",  # a join whose order is kept; conditions stand in ON
        "is_object": "(CASE WHEN json_valid({0}) THEN json_type({0}) END IS 'object')",
        "json": "{0}",  # {json e.attributes} ->> 'name': the column to look into
        "least": "min({0}, {1})",
        "greatest": "max({0}, {1})",
        "limit": "LIMIT :{0}",  # -1: no limit
        "by": "INDEXED BY {0}",
        "by_none": "NOT INDEXED",
        "hidden": "+{0}",  # a column that no index is to be taken for
        "in_line": "coalesce({0} ->> '$.order', 9e999)",  # what says none comes last
        "equals": "({0} = {1})",  # a text with an index, and another one
        "indexed": "{0}",  # a value as an index holds it
        "among": "{0} IN (SELECT one.value FROM {1})",  # a value that may have an index
        "unindexed": "+{0}",  # a value, likewise
        "in_order": "{0}",  # a value of a document, which is text, as texts are ordered
        "part_of": "(instr({0}, {1}) > 0)",  # the second text is in the first
    },
    has_types=False,
    id_bits=bytes,
    pattern=None,
    value_order=(),
    overrides={
        # Without the FAIL, the engine keeps a journal of the statement: one row could fail after
        # another.
        COUNT_IDS: "UPDATE OR FAIL counter SET last_n = :last_n"
    },
)
