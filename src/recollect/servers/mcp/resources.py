"""The resources: the primer, the syntax card, the schema, one element, the log.

The rule: an address names what is read and never how much; each is bounded by itself, and the
log leads on by the address of its next part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import unquote

from mcp_types import Resource, ResourceTemplate

from recollect.errors import RESOURCE_NOT_FOUND
from recollect.faces.kip import Response, execute_kip_readonly, syntax_card
from recollect.faces.kip.changes import transaction_json, what_json
from recollect.faces.kip.response import element_object
from recollect.faces.markup import syntax_card as markup_card
from recollect.faces.memory import element_named, records_of
from recollect.kernel import Nexus
from recollect.model import LoggedTransaction
from recollect.servers.mcp.bounded import beginning, bounded, fitting, is_small
from recollect.servers.mcp.fence import NOTE, json_line
from recollect.servers.mcp.markup_tools import ReadMarkup, shown_markup
from recollect.servers.mcp.memory_tools import element_uri

JSON: Final = "application/json"
MARKDOWN: Final = "text/markdown"

_ROOT: Final = "recollect://"
_ELEMENT: Final = re.compile(r"recollect://element/([^/?#]+)")
_MARKUP: Final = re.compile(r"recollect://markup(?:/([^/?#]+))?")
_CHANGES: Final = re.compile(r"recollect://changes(?:/(\d{1,15}))?")
_TRANSACTIONS: Final = 20  # of one part of the log
_NAMES: Final = 100  # types, and predicates, of the schema
_MISFITS: Final = 20
_CHANGED: Final = 50  # elements of one transaction

_PLACES: Final = (
    ("primer", "Primer", JSON, "What this memory is about, and how to ask it."),
    ("syntax", "Syntax card", MARKDOWN, "The language KIP on one card."),
    (
        "schema",
        "Schema",
        JSON,
        "The types and predicates in use, what is declared, what does not conform.",
    ),
    ("markup", "Knowing Markup", MARKDOWN, "The memory as an indented document, within a budget."),
    ("markup-syntax", "Syntax of Knowing Markup", MARKDOWN, "Knowing Markup on one page."),
    (
        "changes",
        "Changes",
        JSON,
        "What was written, oldest first; next is the address of what comes after.",
    ),
)
LISTED: Final = tuple(
    Resource(uri=f"{_ROOT}{name}", name=name, title=title, description=about, mime_type=kind)
    for name, title, kind, about in _PLACES
)
"""The resources that every memory has."""

_PATTERNS: Final = (
    (
        "element",
        "element/{id}",
        "One element",
        JSON,
        "A concept, link, claim or episode, whole, with its clocks.",
    ),
    (
        "markup_of",
        "markup/{id}",
        "A space or a branch",
        MARKDOWN,
        "A space, or the branch below a node, as Knowing Markup.",
    ),
    (
        "changes_since",
        "changes/{since}",
        "Changes since",
        JSON,
        "What was written after the transaction of this number, oldest first.",
    ),
)
TEMPLATES: Final = tuple(
    ResourceTemplate(
        name=name, uri_template=f"{_ROOT}{place}", title=title, description=about, mime_type=kind
    )
    for name, place, title, kind, about in _PATTERNS
)
"""The resources that have an address for each thing."""


def read_resource(nexus: Nexus, uri: str) -> tuple[str, str]:
    """Return the kind of a resource and its text; NOT_FOUND if nothing has the address."""
    if match := _ELEMENT.fullmatch(uri):
        return JSON, _json(_element(nexus, unquote(match[1])))
    if match := _CHANGES.fullmatch(uri):
        return JSON, _json(_changes(nexus, int(match[1] or 0)))
    if uri == f"{_ROOT}markup-syntax":
        return MARKDOWN, markup_card()
    if match := _MARKUP.fullmatch(uri):
        given: ReadMarkup = {"root": unquote(match[1])} if match[1] else {}
        return MARKDOWN, str(shown_markup(nexus, given)["text"]) or "# there is no node yet\n"
    if uri == f"{_ROOT}syntax":
        return MARKDOWN, syntax_card()
    read = _READERS.get(uri)
    if read is None:
        raise RESOURCE_NOT_FOUND.error(
            "there is no resource at this address",
            f"list the resources; the first is {LISTED[0].uri}",
        )
    return JSON, _json(read(nexus))


def primer(nexus: Nexus) -> dict[str, object]:
    """Return what the memory is about; the syntax has a card of its own."""
    found = _described(nexus, "DESCRIBE PRIMER")
    told = {key: value for key, value in found.items() if key != "syntax_card"}
    return _whole_or_beginning(told)


def _whole_or_beginning(members: dict[str, object]) -> dict[str, object]:
    return members if is_small(members) else beginning(members)


def _schema(nexus: Nexus) -> dict[str, object]:
    schema = nexus.declared.schema()
    found: dict[str, object] = {
        "mode": schema.mode,
        "declared": {
            "concept_types": schema.concept_types,
            "proposition_types": schema.proposition_types,
        },
        "concept_types": _described(nexus, f"DESCRIBE CONCEPT TYPES LIMIT {_NAMES}"),
        "proposition_types": _described(nexus, f"DESCRIBE PROPOSITION TYPES LIMIT {_NAMES}"),
        "misfits": [
            {"code": one.code, "message": one.message, "count": one.count}
            for one in schema.misfits[:_MISFITS]
        ],
    }
    return _whole_or_beginning(found)


def _element(nexus: Nexus, identifier: str) -> dict[str, object]:
    dated = element_named(nexus, identifier, closed=True)
    (memory,) = records_of(nexus, [dated])
    whole: Response = {"result": element_object(dated.element)}
    return {
        **memory.to_dict(),
        "uri": element_uri(identifier),
        "element": bounded(nexus, {}, whole)["result"],
    }


def _changes(nexus: Nexus, since: int) -> dict[str, object]:
    log = nexus.changes(since, _TRANSACTIONS)
    parts = [_logged(one) for one in log]
    kept = max(1, fitting(parts))  # the first has to fit: what it changed is cut
    last = log[:kept][-1].transaction.number if log else since
    return {
        "transactions": parts[:kept],
        "next": f"{_ROOT}changes/{last}",
        "is_last": len(log) < _TRANSACTIONS and kept >= len(log),
    }


def _logged(logged: LoggedTransaction) -> dict[str, object]:
    changes = [
        {"id": one.id, "operation": one.operation.value, **what_json(one.what)}
        for one in logged.changes[:_CHANGED]
    ]
    return {
        **transaction_json(logged.transaction),
        "changed": len(logged.changes),
        "changes": changes[: fitting(changes)],
    }


def _described(nexus: Nexus, command: str) -> dict[str, object]:
    result = execute_kip_readonly(nexus, command).get("result")
    return result if isinstance(result, dict) else {}


def _json(members: Mapping[str, object]) -> str:
    return json_line({"note": NOTE, **members})


_READERS: Final[Mapping[str, Callable[[Nexus], dict[str, object]]]] = {
    f"{_ROOT}primer": primer,
    f"{_ROOT}schema": _schema,
}
