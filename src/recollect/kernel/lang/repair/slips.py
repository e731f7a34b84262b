"""The edits that may mend a text which fails at a token: what people and models slip on.

Its rule: the likelier slip comes first, an edit that keeps every word of the text before one
that takes a word away, and nothing is ever made up: no name, no value, no predicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect.errors import Fix, Span, alike
from recollect.kernel.lang.repair.synonyms import OTHER_COMPARISONS, OTHER_SYMBOLS, Where, synonyms
from recollect.kernel.lang.tokens import (
    A_HANDLE,
    A_KEY,
    A_NUMBER,
    A_STRING,
    A_VALUE,
    CLOSERS,
    END,
    Tokens,
    is_word,
)
from recollect.kernel.lang.words import (
    KEYWORDS,
    PATTERN_KEYS,
    SECTIONS,
    STATEMENTS,
    VALUES,
)

OTHER_WORDS = synonyms(Where.OPERATOR, Where.CLAUSE)
COLUMNS_AFTER = ("SELECT", "MATCH", "RETURN", "GET", "QUERY")
COLUMN_WORDS = ("DISTINCT", "ALL")
BRACKETS = ("(", ")", "{", "}", "[", "]")
SYMBOLS = (",", ")", "}", "]", ":", "(", "{", "[")
WORDS = (*sorted(KEYWORDS), *PATTERN_KEYS, *SECTIONS, *VALUES)
OFTEN_LEFT_OUT = (
    *STATEMENTS,
    *("WHERE", "BY", "TYPE", "CONCEPT", "SET", "DETACH", "INTO", "EXPECT"),
)
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
SIGILLED = re.compile(r"[?@$:][^\W\d]\w*")
QUOTE_ENDS = re.compile(r'(?=[,:(){}\[\]"])|(?<=[,:(){}\[\]])|(?<=\w)(?=\s)|$')
STRUCTURE = re.compile(r"[(){}\[\],]")
FAR = 12  # tokens before the failing one among which a stray bracket may be


def edits(tokens: Tokens, at: int, said: int, expected: tuple[str, ...]) -> Iterator[Fix]:
    """Yield the edits that may mend a text which fails at token `at`, likeliest first.

    `said` is the token that the error is about, `expected` what could have stood at `at`.
    """
    places = [one for one in dict.fromkeys((at, said, at - 1)) if one >= 0]
    yield from _foreign(tokens, at)
    for place in places:
        yield from _replaced(tokens, place, expected if place == at else ())
    yield from _quoted(tokens, places)
    yield from _added(tokens, at, expected)
    yield from _closed(tokens, at)
    for place in (*places[1:], at + 1):
        yield from _added(tokens, place, ())
    for left in (at - 1, at, at - 2, at + 1):
        yield from _swapped(tokens, left)
    yield from _removed(tokens, at)
    for place in range(at - 2, max(-1, at - FAR), -1):
        if tokens.texts[place] in BRACKETS:
            yield from _replaced(tokens, place, ())


def _replaced(tokens: Tokens, at: int, expected: tuple[str, ...]) -> Iterator[Fix]:
    """Yield what a token may have been meant to be."""
    token, span = tokens.texts[at], tokens.span(at)
    if token is END or len(token) > 200:
        return
    for better in _spelled(tokens, at, expected):
        if better != token:
            yield Fix(span, better)
    source = tokens.source
    for spelled, better in OTHER_COMPARISONS.items():
        for start in range(max(0, span.start - len(spelled) + 1), span.start + 1):
            if source.startswith(spelled, start):
                yield Fix(Span(start, start + len(spelled)), better)
    if token in "=<>!&|" and at + 1 < len(tokens.texts) and tokens.texts[at + 1] in "=<>!&|":
        joined = token + tokens.texts[at + 1]
        if joined in ("==", "!=", "<=", ">=", "&&", "||"):
            yield Fix(tokens.spans(at, at + 1), joined)


def _spelled(tokens: Tokens, at: int, expected: tuple[str, ...]) -> Iterator[str]:
    token = tokens.texts[at]
    meant = OTHER_WORDS.get(token.upper())
    yield from (*((meant,) if meant else ()), *OTHER_SYMBOLS.get(token.upper(), ()))
    if is_word(token):
        upper = token.upper()
        yield from (upper,) if upper in KEYWORDS else ()
        yield from (token.lower(),) if token.lower() in WORDS else ()
        wanted = [one for one in expected if one.isupper()]
        yield from _close(token, wanted, 0.6)
        yield from _close(token, WORDS, 0.7)
        names = A_STRING in expected or A_VALUE in expected or A_KEY in expected
        if token not in KEYWORDS or names:
            yield from (f'"{token}"',) if names or not expected else ()
            if token not in VALUES:
                yield from (f"?{token}", f"${token}", f"@{token}", f'"{token}"')
    elif token[0] == '"':
        inside = token.strip('"')
        if NUMBER.fullmatch(inside) or SIGILLED.fullmatch(inside) or inside in WORDS:
            yield inside
    elif token[0] in "?@$" and len(token) > 1:
        sigils = "@" if A_HANDLE in expected else "$" if A_NUMBER in expected else "?@"
        yield from (sigil + token[1:] for sigil in sigils)
        yield from (token[1:],) if token[1:] in KEYWORDS else ()
    elif token in BRACKETS:
        wanted = [one for one in BRACKETS if one in expected]
        yield from dict.fromkeys((*wanted, *BRACKETS))
    elif token == "==" and ":" in expected:
        yield ":"
    elif token[0].isdecimal() and (A_STRING in expected or not NUMBER.fullmatch(token)):
        yield f'"{token}"'


def _close(word: str, names: Iterable[str], cutoff: float) -> Iterator[str]:
    if len(word) > 40:
        return
    by_folded = {name.casefold(): name for name in names}
    for found in alike(word.casefold(), by_folded, 3, cutoff):
        yield by_folded[found]


def _quoted(tokens: Tokens, places: Sequence[int]) -> Iterator[Fix]:
    """Yield the places where a quote may be left out, or one may be too many."""
    source = tokens.source
    earlier = (one for one in range(places[0] - 2, max(-1, places[0] - 5), -1))
    strings = (one for one in earlier if tokens.texts[one][0] == '"')
    for at in dict.fromkeys((*places, *strings)):
        token, span = tokens.texts[at], tokens.span(at)
        if token is END:
            continue
        line_end = source.find("\n", span.start)
        end = min(len(source) if line_end < 0 else line_end, span.start + 200)
        if token[0] != '"':
            inside, quote, _ = source[span.start : end].partition('"')
            if quote and not STRUCTURE.search(inside):
                yield Fix(Span(span.start, span.start), '"')
            yield from _several_words(tokens, at)
            continue
        for found in QUOTE_ENDS.finditer(source, span.start + 1, end):
            yield Fix(Span(found.end(), found.end()), '"')
        yield Fix(Span(span.start, span.start + 1), "")
        if len(token) > 1 and token[-1] == '"':
            yield Fix(Span(span.end - 1, span.end), "")


def _several_words(tokens: Tokens, at: int) -> Iterator[Fix]:
    """Yield a name of several words in quotes: `name: Vitamin C`, `is-a`."""
    if not (is_word(tokens.texts[at]) or tokens.texts[at][0].isdecimal()):
        return
    first = last = at
    while last - at < 8 and _is_part(tokens.texts[last + 1]):
        last += 1
    while at - first < 2 and first and _is_part(tokens.texts[first - 1]):
        first -= 1
    for start in range(first, at + 1):
        if last > start:
            span = tokens.spans(start, last)
            yield Fix(span, f'"{tokens.source[span.start : span.end]}"')


def _is_part(token: str) -> bool:
    is_plain = is_word(token) and token not in KEYWORDS
    return token is not END and (is_plain or token[0].isdecimal() or token in "-./'+")


def _added(tokens: Tokens, at: int, expected: tuple[str, ...]) -> Iterator[Fix]:
    """Yield the symbols and keywords that may be left out before a token."""
    if at >= len(tokens.texts):
        return
    start = tokens.starts[at]
    here = Span(start, start)
    before = tokens.span(at - 1).end if at else start
    wanted = [one for one in expected if not one[0].islower() and one.strip("_").isalpha()]
    for symbol in dict.fromkeys((*(one for one in expected if one in SYMBOLS), *SYMBOLS)):
        place = start if symbol in CLOSERS else before
        is_tight = symbol == ":" and before == start  # `:name` would be a placeholder
        yield Fix(Span(place, place), f"{symbol} " if is_tight else symbol)
    for operator in ("&&", "||", "==", "!", "|"):
        if operator in expected or not expected:
            yield Fix(here, f"{operator} ")
    if is_word(tokens.texts[at]) and tokens.texts[at] not in KEYWORDS:
        yield from (Fix(here, sigil) for sigil in "?$@")
        yield Fix(Span(before, start), ".")
    is_end = tokens.texts[at] is END
    for word in wanted or OFTEN_LEFT_OUT:
        yield Fix(Span(before, before), f" {word}") if is_end else Fix(here, f"{word} ")


def _closed(tokens: Tokens, at: int) -> Iterator[Fix]:
    """Yield all the brackets that are still open before a token, closed at once."""
    opened: list[str] = []
    for token in tokens.texts[:at]:
        if token in CLOSERS:
            opened.append(CLOSERS[token])
        elif opened and token == opened[-1]:
            opened.pop()
    before = tokens.span(at - 1).end if at else 0
    end = len(tokens.source.rstrip())
    for place in dict.fromkeys((before, end)):
        for first in range(min(len(opened), 6)):
            closers = "".join(reversed(opened[first:]))
            yield Fix(Span(place, place), closers)


def _swapped(tokens: Tokens, left: int) -> Iterator[Fix]:
    """Yield a token and the one after it in the other order."""
    if left < 0 or left + 1 >= len(tokens.texts) - 1:
        return
    one, other = tokens.texts[left], tokens.texts[left + 1]
    if one in CLOSERS.values() and is_word(other) and other not in WORDS:
        return  # a word that nothing knows is no better inside the bracket
    span = tokens.spans(left, left + 1)
    if span.end - span.start <= 400:
        between = tokens.source[tokens.span(left).end : tokens.starts[left + 1]]
        yield Fix(span, f"{other}{between or ' '}{one}")


def _foreign(tokens: Tokens, at: int) -> Iterator[Fix]:
    """Yield what another language says: `SELECT ?x, ?y WHERE`, `COUNT(*)`."""
    texts = tokens.texts
    token, last = texts[at].upper(), at
    if token in COLUMNS_AFTER:
        while texts[last + 1][0] in "?,()*" or texts[last + 1].upper() in COLUMN_WORDS:
            last += 1
        columns = [one for one in texts[at + 1 : last + 1] if one[0] == "?"]
        if columns:
            yield Fix(tokens.spans(at, last), f"FIND({', '.join(columns)})")
    elif token == "*":
        named = next((one for one in texts[at:] if one[0] == "?" and len(one) > 1), None)
        if named is not None:
            yield Fix(tokens.span(at), named)


def _removed(tokens: Tokens, at: int) -> Iterator[Fix]:
    """Yield what is one too many: a bracket, a separator, a quote, a name or keyword said twice.

    Nothing else goes: a word, a number or an operator means something, even where it cannot stand.
    """
    texts = tokens.texts
    for one in (at, at - 1, at + 1, at - 2):
        if 0 <= one < len(texts) - 1 and _says_nothing(texts, one) and not _joins(tokens, one):
            yield Fix(tokens.span(one), "")
    for one in range(at - 3, max(-1, at - FAR), -1):
        if texts[one] in BRACKETS:
            yield Fix(tokens.span(one), "")


def _says_nothing(texts: Sequence[str], at: int) -> bool:
    """Whether a text says the same without a token."""
    token = texts[at]
    if token in BRACKETS or token in ",;:.|" or token in ("&&", "||", '"', "'", "`"):
        return True
    is_name = token[0].isalpha() or token[0] in '_"?@$'
    return is_name and token != "NOT" and at > 0 and texts[at - 1] == token


def _joins(tokens: Tokens, at: int) -> bool:
    """Whether two words become one without the token between them."""
    span = tokens.span(at)
    around = (
        tokens.source[max(0, span.start - 1) : span.start] + tokens.source[span.end : span.end + 1]
    )
    return len(around) == 2 and all(one.isalnum() or one == "_" for one in around)
