"""The commands that only read: query, search, describe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from recollect.errors import INVALID_SYNTAX, RecollectError, refused
from recollect.faces.kip import answer_kip
from recollect.faces.kip.response import Format
from recollect.kernel import Nexus, Script, parse_text, read_as_of
from recollect.model import Value
from recollect.servers.cli.answers import AskedText, show_answer, without_place
from recollect.servers.cli.given import parameters_of, whole_text
from recollect.servers.cli.opening import opened_to_read
from recollect.servers.cli.options import Invocation, told
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.wanted import SearchOptions

DESCRIPTIONS: Mapping[str, str] = {
    "primer": "DESCRIBE PRIMER",
    "domains": "DESCRIBE DOMAINS",
    "types": "DESCRIBE CONCEPT TYPES",
    "type": "DESCRIBE CONCEPT TYPE $name",
    "predicates": "DESCRIBE PROPOSITION TYPES",
    "predicate": "DESCRIBE PROPOSITION TYPE $name",
}
"""The KIP text of each thing `describe` tells."""

_PARTS: Mapping[str, str] = {
    "type": "WITH TYPE",
    "mode": "MODE",
    "threshold": "THRESHOLD",
    "limit": "LIMIT",
    "cursor": "CURSOR",
}
"""What stands before the value of an option in KIP, in the order of KIP."""

_NEXT = "next_cursor"
_LONGEST = 255  # of what may be the name of a file


def answer_query(on: Invocation, text: str, layout: Format, cursor: str | None) -> None:
    """Answer one text that reads; a cursor goes on after the page that gave it."""
    with output(on, takes_parameters=True) as out:
        _refuse_file(text)
        whole, parameters = whole_text(text), parameters_of(on.param)
        if cursor is not None:
            whole = f"{whole}\n{_PARTS['cursor']} ${_NEXT}"
            parameters = {**parameters, _NEXT: cursor}
        with opened_to_read(out, on) as nexus:
            script = _only_reading(nexus, whole)
            answer = answer_kip(nexus, script, parameters=parameters, as_of=on.as_of)
            show_answer(out, nexus, answer, AskedText(whole, read_as_of(on.as_of), layout))


def answer_search(on: Invocation, term: str, wanted: SearchOptions) -> None:
    """Find elements by their words."""
    given = told(wanted)
    of_kind = f" {given.pop('kind').upper()}" if wanted.kind else ""
    parts = "".join(f" {part} ${name}" for name, part in _PARTS.items() if name in given)
    with output(on) as out:
        _answer(out, on, f"SEARCH{of_kind} $term{parts}", {"term": term, **given})


def answer_describe(on: Invocation, what: str, options: Mapping[str, Value]) -> None:
    """Show what the memory is about; an option that is not given is null."""
    given = {name: value for name, value in options.items() if value is not None}
    page = "".join(f" {_PARTS[name]} ${name}" for name in given if name in _PARTS)
    with output(on) as out:
        _answer(out, on, DESCRIPTIONS[what] + page, given)


def _answer(out: Output, on: Invocation, text: str, parameters: Mapping[str, Value]) -> None:
    """Answer a text of the program's own; errors do not point into it, because no user wrote it."""
    with opened_to_read(out, on) as nexus:
        try:
            answer = answer_kip(nexus, text, parameters=parameters, as_of=on.as_of)
        except RecollectError as error:
            raise without_place(error) from error
        show_answer(out, nexus, answer, AskedText(text, read_as_of(on.as_of)))


def _refuse_file(text: str) -> None:
    """Refuse the name of a file in the place of a text: `run` takes it."""
    if text.isprintable() and len(text) <= _LONGEST and Path(text).is_file():
        raise refused(f"{text} is a file, and query takes a text", f"recollect run {quote(text)}")


def _only_reading(nexus: Nexus, text: str) -> Script:
    script = parse_text(text, nexus.limits)
    if not script.is_read_only:
        raise INVALID_SYNTAX.error(
            "this text writes, and query only reads",
            "run it from a file, or from standard input: recollect run -",
        )
    return script
