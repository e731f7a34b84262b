"""Texts of the language as callers pass them: parsed once, and errors that quote them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast, get_args

from recollect.errors import INVALID_ARGUMENT, INVALID_SYNTAX, Hint, RecollectError, Span, ToDo
from recollect.kernel.lang import ast, parse
from recollect.kernel.read.cache import Cache
from recollect.kernel.read.deadline import Deadline
from recollect.model import Limits

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


_TREES: Cache[tuple[str, int, int], ast.Script] = Cache(1024)


def not_only(span: Span, what: str) -> RecollectError:
    """Return the error for a text that holds something else than what a call is about."""
    return RecollectError(
        INVALID_SYNTAX, f"the text is not {what}", hint=f"pass {what} by itself", span=span
    )


def only_queries(script: ast.Script) -> tuple[ast.Query, ...]:
    """Return the statements of a text that only reads; KIP_1001 for one that writes."""
    for statement in script.statements:
        if isinstance(statement, _MUTATIONS):
            raise RecollectError(
                INVALID_SYNTAX,
                "this statement writes, and only reading is allowed here",
                hint=Hint("send it to execute_kip, or to Nexus.write", ToDo.WRITE),
                span=statement.span,
            )
    return cast("tuple[ast.Query, ...]", script.statements)


@contextmanager
def quoting(text: str) -> Iterator[None]:
    """Give every error raised inside the block the text that its span points into."""
    if not isinstance(text, str):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"the text is of type {type(text).__name__}, not a string",
            hint="pass KIP as a str",
        )
    try:
        yield
    except RecollectError as error:
        error.at(text)
        raise
