"""What may be written at a place of a text: for completion while somebody types.

Its rule: the parser says it. What stands before the place is parsed, and what could have stood
where it ends is the answer.
"""

from __future__ import annotations

from enum import StrEnum

from recollect.errors import RecollectError
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parser import statements_of, tail_of
from recollect.kernel.lang.repair.mend import begins_statement
from recollect.kernel.lang.tokens import A_HANDLE, A_VARIABLE, END, Tokens, lex
from recollect.kernel.lang.words import FIELDS, KEYWORDS, PATTERN_KEYS, SECTIONS, STATEMENTS
from recollect.node import dataclass

LAST = 4  # tokens that tell what a string is


class Wanted(StrEnum):
    """What kind of name belongs at a place."""

    TYPE = "type"
    PREDICATE = "predicate"
    ATTRIBUTE = "attribute"
    METADATA_KEY = "metadata key"
    VARIABLE = "variable"
    HANDLE = "handle"
    PLACEHOLDER = "placeholder"
    FIELD = "field"
    KEYWORD = "keyword"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a text where somebody types: what belongs there and what is there already."""

    wanted: Wanted
    begun: str  # the part of the word that is written, without its quote
    words: tuple[str, ...] = ()  # keywords that may stand there
    takes_variable: bool = False
    takes_handle: bool = False


def place_at(text: str, offset: int) -> Place:
    """Return what may be written at a character of a text, which may be wrong elsewhere.

    >>> place_at("DESCRIBE CON", 12).words
    ('PRIMER', 'DOMAINS', 'CONCEPT', 'PROPOSITION')
    """
    tokens = lex(text[:offset])
    at = len(tokens.texts) - 2
    line = text.rfind("\n", 0, offset)
    if any(comment.span.start > line for comment in tokens.comments):
        return Place(Wanted.NOTHING, "")
    last = tokens.texts[at] if at >= 0 else END
    touches = at >= 0 and tokens.span(at).end == offset
    if touches and last[0] == '"' and not (len(last) > 1 and last[-1] == '"'):
        return Place(_named(tokens.texts[:at]), last[1:])
    if touches and last[0] in "?@$":
        sigils = {"?": Wanted.VARIABLE, "@": Wanted.HANDLE, "$": Wanted.PLACEHOLDER}
        return Place(sigils[last[0]], last)
    is_word = touches and (last[0].isalpha() or last[0] == "_")
    begun = last if is_word else ""
    before = tokens.texts[: at if is_word else at + 1]
    if touches and (field := _field(before, begun)) is not None:
        return field
    return _between(tokens, begun)


def _field(before: list[str], begun: str) -> Place | None:
    """Return what may follow a dot: `?x.`, `?x.attributes.`."""
    if len(before) > 1 and before[-1] == "." and before[-2][0] == "?":
        return Place(Wanted.FIELD, begun, FIELDS)
    if len(before) > 3 and before[-1] == before[-3] == "." and before[-2] in SECTIONS:
        is_attribute = before[-2] == "attributes"
        return Place(Wanted.ATTRIBUTE if is_attribute else Wanted.METADATA_KEY, begun)
    return None


def _named(before: list[str]) -> Wanted:
    """Return what a string is the name of, by the tokens before it."""
    texts = [END, *before][-LAST:]
    match texts:
        case [*_, "PROPOSITION", "TYPE"]:
            return Wanted.PREDICATE
        case [*_, "type", ":"] | [*_, "TYPE"]:
            return Wanted.TYPE
        case [*_, "ATTR", "(", _, ","]:
            return Wanted.ATTRIBUTE
        case [*_, "META", "(", _, ","]:
            return Wanted.METADATA_KEY
        case [*_, "(", _, ","] | [*_, "{", "("] | [*_, ")", "("] | [*_, "|"]:
            return Wanted.PREDICATE
        case [*_, "ATTRIBUTES", "{"]:
            return Wanted.ATTRIBUTE
        case [*_, "METADATA", "{"]:
            return Wanted.METADATA_KEY
    return Wanted.NOTHING


def _between(tokens: Tokens, begun: str) -> Place:
    """Return what may stand after what is written, outside a string."""
    end = len(tokens.source) - len(begun)
    begins = [at for at in range(len(tokens.texts) - 1) if begins_statement(tokens, at)]
    start = tokens.starts[begins[-1]] if begins else 0
    part = tokens.source[start:end] if start < end else ""
    expected = _expected(part)
    if expected is None:  # something before is wrong: anything may be meant
        return Place(Wanted.KEYWORD, begun, tuple(sorted(KEYWORDS)), True, True)
    words = tuple(one for one in expected if one.isupper())
    if "a key" in expected:
        words = (*words, *PATTERN_KEYS)
    return Place(Wanted.KEYWORD, begun, words, A_VARIABLE in expected, A_HANDLE in expected)


def _expected(part: str) -> tuple[str, ...] | None:
    """Return what may follow a text; None where the text is wrong before its end."""
    cursor = Cursor(lex(part))
    try:
        statements = statements_of(cursor)
    except RecollectError:
        return (cursor.expected or STATEMENTS) if cursor.at_end else None
    return (*tail_of(statements), *STATEMENTS)
