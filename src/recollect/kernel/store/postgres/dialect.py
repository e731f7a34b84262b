"""The PostgreSQL dialect."""

from __future__ import annotations

from recollect.kernel.store.dialect import Dialect, JsonPart


def _render_json(part: JsonPart, document: str, key: str | None) -> str:
    path = "" if key is None else " -> '" + key.replace("'", "''") + "'"
    match part:
        case JsonPart.TYPE:
            return f"jsonb_typeof({document}{path})"
        case JsonPart.JSON:
            return f"({document}{path})"
        case JsonPart.VALUE:
            return f"({document}{path} #>> '{{}}')"


POSTGRES = Dialect(
    name="postgres",
    functions={},
    inner_join="CROSS JOIN",
    render_json=_render_json,
    apart="OFFSET 0",
    parameter=":",
    words={
        "numbers": (
            "(SELECT item.value::bigint AS value, item.place - 1 AS key FROM"
            " jsonb_array_elements_text(:{0}::jsonb) WITH ORDINALITY AS item(value, place)) AS {1}"
        ),
        "least": "least({0}, {1})",
        "greatest": "greatest({0}, {1})",
        "limit": "LIMIT nullif(:{0}::bigint, -1)",
        "by": "",
        "by_none": "",
        "hidden": "({0} + 0)",
        "part_of": "(strpos({0}, {1}) > 0)",
    },
    has_types=True,
    overrides={},
)
