"""What callers pass: arguments, checked whatever their types say; texts, parsed once.

With them the one query of a text, and what to know about the answer of a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast, get_args

from recollect.errors import INVALID_SYNTAX, Hint, Notice, RecollectError, Span, ToDo, refused
from recollect.kernel.lang import ast, parse
from recollect.kernel.plan.bind import Bindings, literal
from recollect.kernel.read.reader import Deadline, Reader
from recollect.kernel.store.sharing import Cache
from recollect.model import AsOf, ElementKind, Found, Limits, Value
from recollect.node import dataclass


def check_one_of(given: str, known: Sequence[str], name: str) -> None:
    """Refuse what is none of the words, whatever the caller's types say."""
    if given not in known:
        words = ", ".join(f'"{one}"' for one in known)
        raise refused(
            f"{name} is {given!r}, which is not one of {words}", f'pass {name}="{known[0]}"'
        )


def limits_of(given: Limits | None, otherwise: Limits) -> Limits:
    """Return the limits of a call, whatever the caller's types say of them."""
    if given is None:
        return otherwise
    if not isinstance(given, Limits):
        raise refused(
            f"limits is of type {type(given).__name__}, not Limits", "pass Limits(max_rows=...)"
        )
    return given


def search_query(
    term: str, kind: str | None, type: str | None, limit: int, others: tuple[Value, Value, Value]
) -> ast.Search:
    """Return the SEARCH that a call stands for; `others` are mode, threshold and cursor."""
    mode, threshold, cursor = others
    return ast.Search(
        None if kind is None else _kind(kind),
        literal(term),
        _given(type),
        literal(limit),
        _given(mode),
        _given(threshold),
        _given(cursor),
    )


def _given(value: Value) -> ast.Literal | None:
    return None if value is None else literal(value)


def _kind(kind: str) -> ElementKind:
    try:
        return ElementKind(kind)
    except ValueError as error:
        raise refused(f"{kind!r} is not a kind of element", 'pass "concept" or "link"') from error


def one_moment(found: Found | None, as_of: AsOf | None) -> AsOf | None:
    """Return the moment that a call names once, in either place, or twice alike."""
    of_found = None if found is None else found.as_of
    if as_of is not None and of_found is not None and as_of != of_found:
        raise refused("as_of and the as_of of Found name different moments", "pass one of them")
    return of_found if as_of is None else as_of


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """The one query of a text, with what reads for it."""

    script: ast.Script
    query: ast.Query
    bindings: Bindings
    reader: Reader

    def notices(self) -> tuple[Notice, ...]:
        """Return what to know about the answer, once it is there."""
        return notices_of(self.script, self.bindings, self.reader.notices)


def notices_of(
    script: ast.Script, bindings: Bindings, found: Sequence[Notice]
) -> tuple[Notice, ...]:
    """Return what to know about an answer: of parameters only where some were passed."""
    in_strings = [
        Notice(one.code, one.message, f"write {one.hint} without quotes", one.span)
        for one in script.notices
        if one.hint.removeprefix("$") in bindings.values
    ]
    unused = [
        Notice(
            "unused_parameter",
            f"parameter {name} is not used",
            hint=f"name it {name[1:]}" if name[:1] in ("$", ":") else f"write ${name}",
        )
        for name in bindings.values
        if name not in bindings.used
    ]
    return tuple(dict.fromkeys([*in_strings, *found, *unused]))


_REMEMBERED_TEXT = 8 * 2**10  # characters; longer texts are not asked twice
_MUTATIONS = get_args(ast.Mutation)


def source_of(text: str | ast.Script) -> str:
    """Return the text that a caller passed, or that a tree was made of."""
    return text.source if isinstance(text, ast.Script) else text


def parsed(text: str | ast.Script, limits: Limits, deadline: Deadline | None = None) -> ast.Script:
    """Return the tree of a text; short texts that only read are remembered.

    KIP_4001 beyond the deadline, which is that of the limits where none is given.
    """
    if isinstance(text, ast.Script):
        return text
    key = text, limits.max_length, limits.max_depth
    script = _TREES.find(key)
    if script is None:
        pulse = (deadline or Deadline(limits.max_seconds)).check
        length, depth = limits.max_length, limits.max_depth
        script = parse(text, max_length=length, max_depth=depth, pulse=pulse)
        if len(text) <= _REMEMBERED_TEXT and script.is_read_only:
            _TREES.keep(key, script)
    return script


def parse_text(text: str, limits: Limits) -> ast.Script:
    """Return the tree of a text, which `read` or `write` of a memory with these limits takes.

    `is_read_only` says which of them. Raises what they would.
    """
    with quoting(text):
        return parsed(text, limits)


_TREES: Cache[tuple[str, int, int], ast.Script] = Cache(1024)


def not_only(span: Span, what: str) -> RecollectError:
    """Return the error for a text that holds something else than what a call is about."""
    return INVALID_SYNTAX.error(f"the text is not {what}", f"pass {what} by itself", span=span)


def only_queries(script: ast.Script) -> tuple[ast.Query, ...]:
    """Return the statements of a text that only reads; KIP_1001 for one that writes."""
    for statement in script.statements:
        if isinstance(statement, _MUTATIONS):
            raise INVALID_SYNTAX.error(
                "this statement writes, and only reading is allowed here",
                Hint("send it to execute_kip, or to Nexus.write", ToDo.WRITE),
                span=statement.span,
            )
    return cast("tuple[ast.Query, ...]", script.statements)


@contextmanager
def quoting(text: str) -> Iterator[None]:
    """Give every error raised inside the block the text that its span points into."""
    if not isinstance(text, str):
        raise refused(
            f"the text is of type {type(text).__name__}, not a string", "pass KIP as a str"
        )
    try:
        yield
    except RecollectError as error:
        error.at(text)
        raise
