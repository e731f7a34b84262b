"""The commands that only read: query, search, describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from recollect.faces.kip import execute_kip_readonly
from recollect.model import Value
from recollect.servers.cli.given import STANDARD_INPUT, text_of
from recollect.servers.cli.naming import names_of
from recollect.servers.cli.output import Output, output
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus

Layout = Literal["rows", "columns", "objects"]

DESCRIPTIONS: Mapping[str, str] = {
    "primer": "DESCRIBE PRIMER",
    "domains": "DESCRIBE DOMAINS",
    "types": "DESCRIBE CONCEPT TYPES",
    "type": "DESCRIBE CONCEPT TYPE $name",
    "predicates": "DESCRIBE PROPOSITION TYPES",
    "predicate": "DESCRIBE PROPOSITION TYPE $name",
}
"""The KIP text of each thing `describe` tells."""


def query(
    text: str,
    parameters: Mapping[str, Value],
    database: str | None,
    group: str | None,
    as_of: Mapping[str, str | int | None],
    *,
    layout: Layout,
    as_json: bool,
) -> None:
    """Answer one text that reads."""
    with output(as_json=as_json) as out:
        whole = text_of(text) if text == STANDARD_INPUT else text
        layout = layout if as_json else "rows"
        _answer(out, whole, parameters, database, group, as_of=as_of, layout=layout)


def search(
    term: str,
    kind: str | None,
    type_name: str | None,
    limit: int,
    database: str | None,
    group: str | None,
    *,
    as_json: bool,
) -> None:
    """Find elements by their words."""
    parameters: dict[str, Value] = {"term": term, "limit": limit}
    of_kind = f" {kind.upper()}" if kind else ""
    of_type = ""
    if type_name is not None:
        parameters["type"] = type_name
        of_type = " WITH TYPE $type"
    with output(as_json=as_json) as out:
        _answer(out, f"SEARCH{of_kind} $term{of_type} LIMIT $limit", parameters, database, group)


def describe(
    what: str, name: str | None, database: str | None, group: str | None, *, as_json: bool
) -> None:
    """Show what the memory is about."""
    parameters: dict[str, Value] = {} if name is None else {"name": name}
    with output(as_json=as_json) as out:
        _answer(out, DESCRIPTIONS[what], parameters, database, group)


def _answer(
    out: Output,
    text: str,
    parameters: Mapping[str, Value],
    database: str | None,
    group: str | None,
    *,
    as_of: Mapping[str, str | int | None] | None = None,
    layout: Layout = "rows",
) -> None:
    settings = Settings()
    nexus = open_nexus(settings.database(database), settings.group(group))
    try:
        response = execute_kip_readonly(
            nexus, text, parameters=parameters, as_of=as_of, format=layout
        )
        names = {} if out.as_json else names_of(nexus, response)
        out.response(response, source=text, names=names)
    finally:
        nexus.close()
