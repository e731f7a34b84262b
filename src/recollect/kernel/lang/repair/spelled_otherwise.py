"""What another language says with the same words in another form: in brackets, before, in a row.

The rule: the edit keeps every word that means something, and adds none but signs and brackets of
KIP. Where a sign can mean two things, such as the comma in `1,000`, there is only a hint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.near import (
    brackets_around,
    closing,
    fault_at,
    field_end,
    statement_end,
)
from recollect.kernel.lang.tokens import END, Tokens, quoted
from recollect.kernel.lang.words import COMPARISONS, TESTS

_ORDERS = ("<", "<=", ">", ">=")
_TURNED_ORDER = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BEFORE_A_CLAUSE = ("{", "}", ")")
_OTHERWISE = frozenset({"|", "||", "OR", "or", ","})
_GROUPED = re.compile(r"[0-9]{1,3}(?:_[0-9]{3})+(?:\.[0-9]+)?")
_TRIPLE = '"""'


def _negated_clause(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`!(?a, "treats", ?b)` is `NOT { (?a, "treats", ?b) }`."""
    texts = tokens.texts
    closer = closing(tokens, at + 1) if texts[at] == "!" and texts[at + 1] in ("(", "{") else None
    if closer is None or texts[at - 1] not in _BEFORE_A_CLAUSE:
        return None
    inside = tokens.spans(at + 1, closer)
    link = tokens.source[inside.start : inside.end]
    better = f"NOT {link}" if texts[at + 1] == "{" else f"NOT {{ {link} }}"
    fix = Fix(tokens.spans(at, closer), better)
    return fault_at(tokens, tokens.span(at), "a clause is negated with NOT", f"use {better}", fix)


def _alternatives(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`["a", "b"]`, `("a" | "b")` and `"a" OR "b"` as a predicate are `"a" | "b"`."""
    place = _predicate_around(tokens, at)
    if place is None:
        return None
    first, last = place
    texts = tokens.texts
    if (texts[first], texts[last]) in (("[", "]"), ("(", ")"), ("{", "}")):
        named = texts[first + 1 : last]
    else:
        named = texts[first : last + 1]
    is_quoted = bool(named) and all(one[0] == '"' and len(one) > 2 for one in named[::2])
    if not is_quoted or len(named) % 2 == 0 or not _OTHERWISE.issuperset(named[1::2]):
        return None
    better = " | ".join(named[::2])
    span = tokens.spans(first, last)
    if better == tokens.source[span.start : span.end]:
        return None
    message = "alternative predicates stand between `|`"
    return fault_at(tokens, span, message, f"use {better}", Fix(span, better))


def _predicate_around(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Return the first and the last token of the predicate of the link that a token stands in."""
    inside = at
    for _ in range(3):
        opener, closer = brackets_around(tokens, inside)
        if opener is None:
            return None
        commas = [] if closer is None else _commas(tokens, opener, closer)
        if tokens.texts[opener] == "(" and len(commas) == 2 and commas[0] <= at <= commas[1]:
            return (commas[0] + 1, commas[1] - 1) if commas[1] - commas[0] > 1 else None
        inside = opener
    return None


def _commas(tokens: Tokens, opener: int, closer: int) -> list[int]:
    """Return the commas between two brackets that stand in none of the brackets inside."""
    found, one = [], opener + 1
    while one < closer:
        if tokens.texts[one] == ",":
            found.append(one)
        one = (closing(tokens, one) or one) + 1 if tokens.texts[one] in "([{" else one + 1
    return found


def _bare_condition(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`CONTAINS(...)` and `(?a.name == "b")` as clauses stand in FILTER."""
    texts = tokens.texts
    if texts[at] in TESTS and texts[at + 1] == "(":
        first, opener = at, at + 1
    else:
        around, _closer = brackets_around(tokens, at)
        if around is None or texts[around] != "(":
            return None
        first = opener = around
    last = closing(tokens, opener)
    if last is None or texts[first - 1] not in _BEFORE_A_CLAUSE:
        return None
    if first == opener:
        within = texts[opener + 1 : last]
        if "," in within or not set(within) & set(COMPARISONS):
            return None
        span = tokens.spans(first, last)
        better = f"FILTER{tokens.source[span.start : span.end]}"
    else:
        span = tokens.spans(first, last)
        better = f"FILTER({tokens.source[span.start : span.end]})"
    return fault_at(tokens, span, "a test stands in FILTER", f"use {better}", Fix(span, better))


def _function_between(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`BETWEEN(?v, 1, 3)` is `?v >= 1 && ?v <= 3`."""
    texts = tokens.texts
    if texts[at].upper() != "BETWEEN" or texts[at + 1] != "(":
        return None
    closer = closing(tokens, at + 1)
    commas = [] if closer is None else _commas(tokens, at + 1, closer)
    if closer is None or len(commas) != 2:
        return None
    parts = [
        tokens.spans(first + 1, last - 1)
        for first, last in zip([at + 1, *commas], [*commas, closer], strict=True)
        if last - first > 1
    ]
    if len(parts) != 3:
        return None
    value, low, high = (tokens.source[one.start : one.end] for one in parts)
    better = f"{value} >= {low} && {value} <= {high}"
    if texts[at - 1] == "!":
        better = f"({better})"
    fix = Fix(tokens.spans(at, closer), better)
    return fault_at(tokens, tokens.span(at), "there is no BETWEEN", f"use {better}", fix)


def _not_between(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`?v NOT BETWEEN 1 AND 3` is `(?v < 1 || ?v > 3)`."""
    texts = tokens.texts
    at = at if texts[at].upper() == "NOT" else at - 1
    if at < 1 or texts[at].upper() != "NOT" or texts[at + 1].upper() != "BETWEEN":
        return None
    first = at - 1
    while first > 0 and texts[first][0] != "?":
        first -= 1
    has_and = texts[at + 2] is not END and texts[at + 3].upper() in ("AND", "&&")
    if texts[first][0] != "?" or field_end(tokens, first) != at - 1 or not has_and:
        return None
    if texts[at + 4] is END:
        return None
    field = tokens.source[tokens.starts[first] : tokens.span(at - 1).end]
    better = f"({field} < {texts[at + 2]} || {field} > {texts[at + 4]})"
    fix = Fix(tokens.spans(first, at + 4), better)
    return fault_at(tokens, tokens.span(at), "there is no BETWEEN", f"use {better}", fix)


def _comparisons_in_a_row(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`1 <= ?v <= 3` is `1 <= ?v && ?v <= 3`."""
    texts = tokens.texts
    if texts[at] not in _ORDERS or texts[at - 1] in "()":
        return None
    first = at - 1
    while first > 1 and texts[first - 1] == ".":
        first -= 2
    before = texts[first - 1]
    if before not in _ORDERS or texts[at + 1] is END or before == _TURNED_ORDER[texts[at]]:
        return None
    place = tokens.spans(first, at - 1)
    middle = tokens.source[place.start : place.end]
    fix = Fix(place, f"{middle} && {middle}")
    message = f"a comparison has two sides, found a second `{texts[at]}`"
    return fault_at(tokens, tokens.span(at), message, "join two comparisons with `&&`", fix)


def _direction_before(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`ORDER BY DESC(?x)` and `ORDER BY DESC ?x` are `ORDER BY ?x DESC`."""
    texts = tokens.texts
    places = (one for one in (at, at - 1) if one > 0)
    at = next((one for one in places if texts[one].upper() in ("DESC", "ASC")), 0)
    if not at or texts[at - 1] not in ("BY", ","):
        return None
    is_wrapped = texts[at + 1] == "("
    first = at + 2 if is_wrapped else at + 1
    if texts[first][0] != "?" or len(texts[first]) < 2:
        return None
    last = field_end(tokens, first)
    if is_wrapped and texts[last + 1] != ")":
        return None
    key = tokens.spans(first, last)
    better = f"{tokens.source[key.start : key.end]} {texts[at].upper()}"
    fix = Fix(tokens.spans(at, last + is_wrapped), better)
    message = "a direction stands after its key"
    return fault_at(tokens, tokens.span(at), message, f"use {better}", fix)


def _signed_limit(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`LIMIT = 10` and `LIMIT(10)` are `LIMIT 10`."""
    texts = tokens.texts
    word = texts[at - 1]
    if at < 1 or word not in ("LIMIT", "OFFSET") or texts[at] not in ("=", "==", "(", ":"):
        return None
    number, is_wrapped = texts[at + 1], texts[at] == "("
    if not number.isdecimal() or (is_wrapped and texts[at + 2] != ")"):
        return None
    better = f"{word} {number}"
    fix = Fix(tokens.spans(at - 1, at + 1 + is_wrapped), better)
    message = f"the number of {word} stands right after it, found `{texts[at]}`"
    return fault_at(tokens, tokens.span(at), message, f"use {better}", fix)


def _triple_quotes(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    '''`"""text"""` is one string in two quotes.'''
    source = tokens.source
    for one in (at, at - 1, at - 2):
        if one < 0 or not source.startswith(_TRIPLE, tokens.starts[one]):
            continue
        start = tokens.starts[one]
        end = source.find(_TRIPLE, start + 3, start + 20_000)
        if end < 0 or "\\" in source[start:end]:
            return None
        text = source[start + 3 : end].replace("\r\n", "\n")
        better = quoted(text)
        hint = "put two quotes around it, and write \\n for a line break"
        span = Span(start, start + 3)
        return fault_at(
            tokens,
            span,
            "a string has one quote at each end",
            hint,
            Fix(Span(start, end + 3), better),
        )
    return None


def _grouped_digits(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`1_000` is 1000; whether `1,000` is that or 1, nobody can know."""
    for one in (at, at - 1):
        written = tokens.texts[one] if one >= 0 else ""
        if _GROUPED.fullmatch(written):
            better = written.replace("_", "")
            span = tokens.span(one)
            message = "a number is written without `_`"
            return fault_at(tokens, span, message, f"use {better}", Fix(span, better))
    texts = tokens.texts
    for one in (at, at - 1, at - 2):
        if one < 2 or not re.fullmatch("[0-9]{3}", texts[one]) or texts[one - 1] != ",":
            continue
        if tokens.span(one - 1).start == tokens.span(one).start - 1 and texts[one - 2].isdecimal():
            span = tokens.spans(one - 2, one)
            written = tokens.source[span.start : span.end]
            hint = f"write {written.replace(',', '')} or {written.replace(',', '.')}"
            return fault_at(tokens, span, f"`{written}` is no number", hint)
    return None


def _equals_in_pattern(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`{type = "Drug", name = "b"}` is `{type: "Drug", name: "b"}`; one sign is a slip."""
    texts = tokens.texts
    opener, closer = brackets_around(tokens, at)
    if texts[at] != "=" or opener is None or closer is None or texts[opener] != "{":
        return None
    signs = [one for one in range(opener, closer) if texts[one] == "="]
    keyed = all(texts[one - 2] in ("{", ",") and texts[one - 1][0].isalpha() for one in signs)
    if not keyed or len(signs) < 2:
        return None
    source, place = tokens.source, tokens.spans(opener, closer)
    better, before = "", place.start
    for one in signs:
        key_end = tokens.span(one - 1).end
        better += source[before:key_end] + ":"
        before = tokens.span(one).end
    better += source[before : place.end]
    message = "a key and its value stand around `:`, found `=`"
    return fault_at(tokens, tokens.span(at), message, f"use {better}", Fix(place, better))


def _where_before_set(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`UPDATE ?x WHERE {...} SET ...` is `UPDATE ?x SET ... WHERE {...}`."""
    texts = tokens.texts
    if texts[statement] != "UPDATE" or texts[at] != "WHERE" or at != statement + 2:
        return None
    closer = closing(tokens, at + 1) if texts[at + 1] == "{" else None
    if closer is None or texts[closer + 1] != "SET":
        return None
    end, last = statement_end(tokens, closer + 1), closer
    while last + 1 < end and texts[last + 1] == "SET":
        block = closing(tokens, last + 3) if texts[last + 3] == "{" else None
        if block is None:
            return None
        last = block
    source = tokens.source
    where, sets = tokens.spans(at, closer), tokens.spans(closer + 1, last)
    better = f"{source[sets.start : sets.end]} {source[where.start : where.end]}"
    message = "WHERE stands after what UPDATE sets"
    fix = Fix(Span(where.start, sets.end), better)
    return fault_at(tokens, tokens.span(at), message, "write SET before WHERE", fix)


SPELLINGS: Sequence[Callable[[Tokens, int, int], RecollectError | None]] = (
    _triple_quotes,
    _negated_clause,
    _alternatives,
    _function_between,
    _not_between,
    _comparisons_in_a_row,
    _direction_before,
    _signed_limit,
    _grouped_digits,
    _equals_in_pattern,
    _where_before_set,
    _bare_condition,
)
"""Tried in this order, like the idioms."""
