"""What callers pass to `Nexus`: checked whatever their types say, in the words of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import literal
from recollect.model import AsOf, ElementKind, Found, Limits, Value


def check_one_of(given: str, known: Sequence[str], name: str) -> None:
    """Refuse what is none of the words, whatever the caller's types say."""
    if given not in known:
        words = ", ".join(f'"{one}"' for one in known)
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{name} is {given!r}, which is not one of {words}",
            hint=f'pass {name}="{known[0]}"',
        )


def limits_of(given: Limits | None, otherwise: Limits) -> Limits:
    """Return the limits of a call, whatever the caller's types say of them."""
    if given is None:
        return otherwise
    if not isinstance(given, Limits):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"limits is of type {type(given).__name__}, not Limits",
            hint="pass Limits(max_rows=...)",
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
        raise RecollectError(
            INVALID_ARGUMENT, f"{kind!r} is not a kind of element", hint='pass "concept" or "link"'
        ) from error


def one_moment(found: Found | None, as_of: AsOf | None) -> AsOf | None:
    """Return the moment that a call names once, in either place, or twice alike."""
    of_found = None if found is None else found.as_of
    if as_of is not None and of_found is not None and as_of != of_found:
        raise RecollectError(
            INVALID_ARGUMENT,
            "as_of and the as_of of Found name different moments",
            hint="pass one of them",
        )
    return of_found if as_of is None else as_of
