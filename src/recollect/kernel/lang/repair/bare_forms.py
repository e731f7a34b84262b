"""What stands without its brackets or its word of KIP, and what stands where it does not belong.

The rule: the edit adds what is left out around what is there, or moves it; where KIP says a thing
only in another shape, there is a hint and no edit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.near import brackets_around, closing, fault_at, members
from recollect.kernel.lang.tokens import END, Tokens, is_named, is_word, quoted
from recollect.kernel.lang.words import COMPARISONS, PATTERN_KEYS

_BEFORE_A_CLAUSE = ("{", "}", ")")
_STRUCTURE = frozenset("{}()[]")
_LONGEST = 200  # characters of a question in plain words


def _bare_link(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`?x "treats" ?y` is `(?x, "treats", ?y)`."""
    texts = tokens.texts
    if at < 2 or not _is_string(texts[at]) or not is_named(texts[at - 1], "?"):
        return None
    if texts[at - 2] not in _BEFORE_A_CLAUSE or not is_named(texts[at + 1], "?"):
        return None
    better = f"({texts[at - 1]}, {texts[at]}, {texts[at + 1]})"
    fix = Fix(tokens.spans(at - 1, at + 1), better)
    return fault_at(tokens, tokens.span(at), "a link stands in parentheses", f"use {better}", fix)


def _bare_type(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`?x a "Drug"` and `?x:Drug` are `?x {type: "Drug"}`."""
    texts = tokens.texts
    if at < 1 or not is_named(texts[at - 1], "?") or texts[at] not in ("a", "isa", "is_a", ":"):
        return None
    named = texts[at + 1]
    if not (_is_string(named) or (texts[at] == ":" and is_word(named))):
        return None
    type_ = named if _is_string(named) else quoted(named)
    better = f"{texts[at - 1]} {{type: {type_}}}"
    fix = Fix(tokens.spans(at - 1, at + 1), better)
    return fault_at(tokens, tokens.span(at), "a type stands in braces", f"use {better}", fix)


def _types_of_one(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`{type: "A" OR "B"}` and `{type: ["A", "B"]}` are two patterns, or a test."""
    texts = tokens.texts
    is_list = texts[at] == "[" and texts[max(0, at - 2) : at] == ["type", ":"]
    others = texts[max(0, at - 4) : at - 1]
    is_other = texts[at - 1].upper() in ("OR", "|", "||", ",") and others[:2] == ["type", ":"]
    if not is_list and not (is_other and _is_string(texts[at])):
        return None
    hint = 'bind ?x otherwise and FILTER(IN(?x.type, ["A", "B"])), or join two patterns with UNION'
    return fault_at(tokens, tokens.span(at), "a pattern has one type", hint)


def _distinct_columns(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`FIND(DISTINCT ?x)` has no edit: equal values of two elements stay two rows."""
    if tokens.texts[at].upper() != "DISTINCT" or tokens.texts[max(0, at - 2) : at] != ["FIND", "("]:
        return None
    hint = "remove DISTINCT: a row stands once for the elements that it shows or is read from"
    return fault_at(tokens, tokens.span(at), "FIND has no DISTINCT", hint)


def _exists(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`EXISTS { ... }` has no edit: what its clauses find would be counted."""
    texts = tokens.texts
    if texts[at].upper() != "EXISTS" or texts[at + 1] != "{":
        return None
    if texts[at - 1] not in _BEFORE_A_CLAUSE:
        return None
    hint = "write its clauses by themselves: they have to be satisfied"
    return fault_at(tokens, tokens.span(at), "there is no EXISTS", hint)


def _tail_in_where(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`WHERE { ... LIMIT 5 }` is `WHERE { ... } LIMIT 5`."""
    texts = tokens.texts
    if texts[at] not in ("LIMIT", "ORDER", "OFFSET", "CURSOR"):
        return None
    opener, closer = brackets_around(tokens, at)
    if opener is None or closer is None or texts[opener - 1] != "WHERE" or closer <= at + 1:
        return None
    tail = tokens.spans(at, closer - 1)
    better = f"}} {tokens.source[tail.start : tail.end]}"
    message = f"{texts[at]} stands after the braces of WHERE"
    fix = Fix(tokens.spans(at, closer), better)
    return fault_at(tokens, tokens.span(at), message, f"move it behind: {better[:60]}", fix)


def _set_by_signs(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`UPDATE ?x SET a = 1` is `UPDATE ?x SET ATTRIBUTES {a: 1}`."""
    texts = tokens.texts
    if texts[statement] != "UPDATE" or texts[at - 1] != "SET" or not is_word(texts[at]):
        return None
    found, one = [], at
    while is_word(texts[one]) and texts[one + 1] == "=" and _is_plain(texts[one + 2]):
        found.append(f"{texts[one]}: {texts[one + 2]}")
        one += 3
        if texts[one] != ",":
            break
        one += 1
    if not found or texts[one] not in ("WHERE", END):
        return None
    better = f"ATTRIBUTES {{{', '.join(found)}}}"
    fix = Fix(tokens.spans(at, one - 1), better)
    message = "SET is followed by ATTRIBUTES or METADATA"
    return fault_at(tokens, tokens.spans(at, one - 1), message, f"use SET {better}", fix)


def _bare_block(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`UPSERT { {type: ...} }` and `CONCEPT {type: ...}` are `CONCEPT { {type: ...} }`."""
    texts = tokens.texts
    if texts[statement] != "UPSERT":
        return None
    is_whole = texts[at] == "{" and at == statement + 2
    opener = at if is_whole else at - 1
    closer = closing(tokens, opener) if texts[opener] == "{" else None
    if closer is None or texts[closer + 1] not in ("}", "CONCEPT", "PROPOSITION"):
        return None
    named = [name for name, *_ in members(tokens, opener, closer)]
    if not named or not set(named).issubset(PATTERN_KEYS):
        return None
    before = texts[opener - 2 : opener]
    if not is_whole and "CONCEPT" not in (before[-1], before[0] if before[-1][0] in "?@" else ""):
        return None
    pattern = tokens.spans(opener, closer)
    better = f"{{ {tokens.source[pattern.start : pattern.end]} }}"
    better = f"CONCEPT {better}" if is_whole else better
    message = "a CONCEPT block begins with a pattern in braces of its own"
    return fault_at(tokens, tokens.span(at), message, f"use {better[:80]}", Fix(pattern, better))


def _bare_proposition(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`PROPOSITION (@a, "p", @b)` is `PROPOSITION { (@a, "p", @b) }`."""
    texts = tokens.texts
    if texts[statement] != "UPSERT" or texts[at] != "(":
        return None
    if "PROPOSITION" not in (texts[at - 1], texts[at - 2] if texts[at - 1][0] in "?@" else ""):
        return None
    closer = closing(tokens, at)
    if closer is None or texts[closer + 1] == "SET":
        return None
    link = tokens.spans(at, closer)
    better = f"{{ {tokens.source[link.start : link.end]} }}"
    message = "a PROPOSITION block stands in braces"
    return fault_at(tokens, tokens.span(at), message, f"use {better[:80]}", Fix(link, better))


def _returned(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`UPSERT { ... } RETURN @x`: what was written is answered by itself."""
    if tokens.texts[at].upper() != "RETURN" or tokens.texts[statement] != "UPSERT":
        return None
    hint = "remove RETURN and what follows it: UPSERT answers with the ids by itself"
    return fault_at(tokens, tokens.span(at), "there is no RETURN", hint)


def _computed_test(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`FILTER(?x.attributes.a + 1 > 3)`: only UPDATE computes."""
    texts = tokens.texts
    around, _closer = brackets_around(tokens, at)
    if around is None or texts[around - 1] != "FILTER" or texts[at] not in ("+", "-", "*", "/"):
        return None
    if not (is_word(texts[at - 1]) or texts[at - 1][0] == "?" or texts[at - 1][0].isdecimal()):
        return None
    hint = "compare the field itself with the number that remains"
    return fault_at(tokens, tokens.span(at), "FILTER computes nothing", hint)


def _compared_key(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`?d {name != "a"}` has no edit: what is not so, or is more or less, a FILTER says."""
    texts = tokens.texts
    opener, _closer = brackets_around(tokens, at)
    if texts[at] not in COMPARISONS or texts[at] == "==" or not opener or texts[opener] != "{":
        return None
    key = texts[at - 1].strip('"')
    if texts[at - 2] not in ("{", ",") or not is_named(texts[opener - 1], "?"):
        return None
    field = key if key in PATTERN_KEYS else f"attributes.{key}"
    hint = f"compare it in FILTER({texts[opener - 1]}.{field} {texts[at]} {texts[at + 1]})"
    message = f"a pattern compares nothing, found `{texts[at]}`"
    return fault_at(tokens, tokens.span(at), message, hint)


def _question(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`What treats headache?` is `SEARCH "What treats headache?"`."""
    text = tokens.source.strip()
    if at or not text.endswith("?") or not is_word(tokens.texts[0]) or len(text) > _LONGEST:
        return None
    if " " not in text or "\n" in text or _STRUCTURE.intersection(text):
        return None
    better = f"SEARCH {quoted(text)}"
    fix = Fix(Span(0, len(tokens.source)), better)
    message = "this is a question in plain words, and no statement"
    return fault_at(tokens, Span(0, len(text)), message, f"use {better}", fix)


def _is_string(token: str) -> bool:
    return len(token) > 1 and token[0] == token[-1] == '"'


def _is_plain(token: str) -> bool:
    return _is_string(token) or token[0].isdecimal() or token in ("true", "false", "null")


BARE_FORMS: Sequence[Callable[[Tokens, int, int], RecollectError | None]] = (
    _bare_link,
    _bare_type,
    _types_of_one,
    _distinct_columns,
    _exists,
    _tail_in_where,
    _set_by_signs,
    _bare_block,
    _bare_proposition,
    _returned,
    _computed_test,
    _compared_key,
    _question,
)
"""Tried in this order, before the idioms of single signs."""
