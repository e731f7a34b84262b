"""A key in a pattern that no pattern has: an attribute, which is set or tested elsewhere."""

from __future__ import annotations

import re

from recollect.errors import Fix, RecollectError
from recollect.kernel.lang.repair.near import brackets_around, fault_at
from recollect.kernel.lang.tokens import CLOSERS, Tokens
from recollect.kernel.lang.words import PATTERN_KEYS


def key_in_pattern(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`{type: "Drug", name: "a", risk_level: 3}`: an attribute is no part of a pattern."""
    texts = tokens.texts
    keys = (one for one in (at, at - 1, at - 2) if one > 0 and texts[one + 1] == ":")
    at = next((one for one in keys if texts[one - 1] in ("{", ",")), 0)
    key = texts[at].strip('"')
    if not at or key in PATTERN_KEYS:
        return None
    opener, closer = brackets_around(tokens, at)
    if opener is None or closer is None or texts[opener] != "{":
        return None
    if texts[opener + 1] not in PATTERN_KEYS and texts[opener + 2] != ":":
        return None
    found = _members(tokens, opener, closer)
    kept = [text for name, text, _ in found if name in PATTERN_KEYS]
    moved = [(name, text, value) for name, text, value in found if name not in PATTERN_KEYS]
    if not kept or not moved:
        return None
    span, shown = tokens.spans(opener, closer), moved[0][0][:40]
    message = f"a concept pattern has no key {shown}: only type, name and id"
    pattern = "{" + ", ".join(kept) + "}"
    if texts[statement] == "UPSERT":
        block = ", ".join(text for _, text, _ in moved)
        hint = f"write it in SET ATTRIBUTES {{ {moved[0][1][:60]} }}, below the pattern"
        if texts[closer + 1 : closer + 4] == ["SET", "ATTRIBUTES", "{"]:
            whole = tokens.spans(opener, closer + 3)
            joint = " " if texts[closer + 4] == "}" else ", "
            return fault_at(
                tokens,
                tokens.span(at),
                message,
                hint,
                Fix(whole, f"{pattern} SET ATTRIBUTES {{ {block}{joint}"),
            )
        is_block = texts[opener - 1] == "{" and texts[closer + 1] in ("}", "SET", "WITH")
        fix = Fix(span, f"{pattern} SET ATTRIBUTES {{ {block} }}") if is_block else None
        return fault_at(tokens, tokens.span(at), message, hint, fix)
    named = texts[opener - 1]
    if named[0] != "?" or any(value[0] in "{[" for _, _, value in moved):
        hint = f'read it with ATTR(?x, "{shown}", ?value)'
        return fault_at(tokens, tokens.span(at), message, hint)
    compared = [one for one in moved if one[2][0] != "?"]
    read = [f'ATTR({named}, "{name}", {value})' for name, _, value in moved if value[0] == "?"]
    tests = " && ".join(f"{named}.attributes.{name} == {value}" for name, _, value in compared)
    better = " ".join([*read, f"FILTER({tests})"] if compared else read)
    is_plain = all(re.fullmatch(r"[^\W\d]\w*", name) for name, _, _ in moved)
    fix = Fix(span, f"{pattern} {better}") if is_plain else None
    return fault_at(tokens, tokens.span(at), message, f"write {better}", fix)


def _members(tokens: Tokens, opener: int, closer: int) -> list[tuple[str, str, str]]:
    """Return the members of braces: key, `key: value` and value, as they are written."""
    found: list[tuple[str, str, str]] = []
    first, depth = opener + 1, 0
    for one in range(opener + 1, closer + 1):
        token = tokens.texts[one]
        depth += (token in CLOSERS) - (token in CLOSERS.values())
        if (token == "," and depth == 0) or one == closer:
            if one - first >= 3 and tokens.texts[first + 1] == ":":
                whole, value = tokens.spans(first, one - 1), tokens.spans(first + 2, one - 1)
                text = tokens.source[whole.start : whole.end]
                name = tokens.texts[first].strip('"')
                found.append((name, text, tokens.source[value.start : value.end]))
            first = one + 1
    return found
