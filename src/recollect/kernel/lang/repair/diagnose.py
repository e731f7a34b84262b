"""What to say about a token that does not fit where it stands.

Its rule: every answer names what was found and what was expected, and where one edit would
mend the text, carries that edit.
"""

from __future__ import annotations

import re

import orjson

from recollect.errors import (
    INVALID_IDENTIFIER,
    INVALID_SYNTAX,
    INVALID_VALUE,
    Code,
    Fix,
    RecollectError,
    Span,
    alike,
    nearest,
)
from recollect.kernel.lang.repair.synonyms import OTHER_COMPARISONS, Where, synonyms
from recollect.kernel.lang.tokens import (
    A_HANDLE,
    A_PATTERN,
    A_STRING,
    A_VALUE,
    A_VARIABLE,
    CLOSERS,
    END,
    THE_END,
    Tokens,
    is_word,
    quoted,
)
from recollect.kernel.lang.words import KEYWORDS, STATEMENTS, VALUES

SYNONYMS = synonyms(Where.OPERATOR, Where.CLAUSE)
FOREIGN_STATEMENTS = synonyms(Where.STATEMENT)
SPOKEN_VALUES = synonyms(Where.VALUE)
LONG_DIRECTIONS = synonyms(Where.DIRECTION)
QUOTES = {one: one for one in "'`\u201d\uff02"} | {
    "\u2018": "\u2019",
    "\u201c": "\u201d",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
FULL_WIDTH = {chr(ord(one) + 0xFEE0): one for one in "(),:;?{}[]|!=<>&$@."} | {"\u3001": ","}
CODE_FENCE = "```"
FENCED = re.compile(r"```(?:\w*[ \t\r]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
OPEN_STRING = "this string is not closed on its line"
DIRECTIONS = ("ASC", "DESC")
A_STATEMENT = "another statement"
NOT_NUMBERS = ("NaN", "Infinity", "inf", "nan")
DESCRIBED = re.compile(r"\w+ \w+")  # `a string`, and no keyword or symbol


def unexpected(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError:
    """Return the error for token `at`, where one of `expected` should stand."""
    token = tokens.texts[at]
    if token is END:
        return _text_ends(tokens, expected)
    return (
        _code_fence(tokens, at)
        or _no_token(tokens, at)
        or _other_spelling(tokens, at, expected)
        or _other_comparison(tokens, at, expected)
        or _stray(tokens, at, expected)
        or _missing_bracket(tokens, at, expected)
        or _missing_separator(tokens, at, expected)
        or _near_miss(tokens, at, expected)
        or _bare_word(tokens, at, expected)
        or _error(tokens, tokens.span(at), _mismatch(token, expected))
    )


def not_a_token(tokens: Tokens, at: int) -> RecollectError | None:
    """Return the error for a token that fits nowhere, or None if it is a token."""
    return None if tokens.texts[at] is END else _no_token(tokens, at)


def meant(word: str, names: tuple[str, ...]) -> str | None:
    """Return the name that a word can only be, misspelled or cut short."""
    if len(word) > 40:  # comparing takes time in proportion
        return None
    by_folded = {name.casefold(): name for name in names}
    folded = word.casefold()
    close = alike(folded, by_folded, 1, 0.75)
    if not close and len(word) > 1:
        close = [name for name in by_folded if name.startswith(folded)]
    return by_folded[close[0]] if len(close) == 1 else None


def listed(expected: tuple[str, ...]) -> str:
    """Return the choices as a person would say them: `a, b or c`."""
    if len(expected) > len(STATEMENTS) and set(expected).issuperset(STATEMENTS):
        others = [one for one in expected if one not in STATEMENTS]
        expected = (*others[:-1], A_STATEMENT, *others[-1:])
    shown = [one if DESCRIBED.match(one) or one.isupper() else f"`{one}`" for one in expected]
    if len(shown) == 1:
        return shown[0]
    return f"{', '.join(shown[:-1])} or {shown[-1]}"


def _error(
    tokens: Tokens,
    span: Span,
    message: str,
    *,
    code: Code = INVALID_SYNTAX,
    hint: str = "",
    fix: str | None = None,
) -> RecollectError:
    edit = None if fix is None else Fix(span, fix)
    return RecollectError(code, message, hint=hint, source=tokens.source, span=span, fix=edit)


def _mismatch(token: str, expected: tuple[str, ...]) -> str:
    shown = token if len(token) <= 40 else f"{token[:36]} ..."
    return f"found `{shown}`, expected {listed(expected)}"


def _text_ends(tokens: Tokens, expected: tuple[str, ...]) -> RecollectError:
    bracket = innermost_open(tokens, len(tokens.texts) - 1)
    end = len(tokens.source)
    if bracket is None:
        return _error(tokens, Span(end, end), f"the text ends, expected {listed(expected)}")
    symbol = tokens.texts[bracket]
    closer = CLOSERS[symbol]
    is_mended = closer in expected
    fix = Fix(Span(end, end), closer) if is_mended else None
    return INVALID_SYNTAX.error(
        f"this `{symbol}` is never closed: the text ends, expected {listed(expected)}",
        f"add `{closer}`" if is_mended else "",
        source=tokens.source,
        span=tokens.span(bracket),
        fix=fix,
    )


def innermost_open(tokens: Tokens, until: int) -> int | None:
    """Return the last bracket before token `until` that nothing has closed."""
    opened: list[int] = []
    for at, token in enumerate(tokens.texts[:until]):
        if token in CLOSERS:
            opened.append(at)
        elif opened and token == CLOSERS[tokens.texts[opened[-1]]]:
            opened.pop()
    return opened[-1] if opened else None


def _code_fence(tokens: Tokens, at: int) -> RecollectError | None:
    """A text in the code fence that a model puts around it, or words before one."""
    source, start = tokens.source, tokens.starts[at]
    fence = source.find(CODE_FENCE) if at == 0 else start
    if fence < 0 or not source.startswith(CODE_FENCE, fence):
        return None
    body = FENCED.match(source, fence) if at == 0 else None
    message = "a code fence stands around the text" if body else "a code fence ends the text"
    error = _error(tokens, Span(fence, fence + 3), message, hint="remove the code fence")
    if body is not None:
        error.fix = Fix(Span(0, len(source)), body[1].strip())
    elif not source[fence + 3 :].strip():
        error.fix = Fix(Span(fence, len(source)), "")
    return error


def _no_token(tokens: Tokens, at: int) -> RecollectError | None:
    token, span = tokens.texts[at], tokens.span(at)
    first = token[0]
    if first == '"':
        return _open_string(tokens, at)
    if token in QUOTES:
        return _wrong_quotes(tokens, at)
    if token in FULL_WIDTH:
        return _written(tokens, span, FULL_WIDTH[token])
    if token in ("?", "@", "$"):
        return _error(
            tokens,
            span,
            f"`{token}` has no name after it",
            code=INVALID_IDENTIFIER,
            hint=f"write `{token}` and a name that begins with a letter or `_`, without a space",
        )
    if not first.isprintable():
        shown = f"U+{ord(first):04X}"
        message = f"the character {shown} stands outside a string"
        return _error(tokens, span, message, hint="remove it", fix="")
    return None


def _open_string(tokens: Tokens, at: int) -> RecollectError | None:
    """Say why a string token is no string; None if it is one."""
    token, span = tokens.texts[at], tokens.span(at)
    try:
        orjson.loads(token.replace("\t", r"\t"))
    except orjson.JSONDecodeError:
        following = tokens.source[span.end : span.end + 1]
    else:
        return None
    quote = Span(span.start, span.start + 1)
    if following and following < " " and following not in "\r\n":
        escape = f"\\u{ord(following):04x}"
        place = Span(span.end, span.end + 1)
        message = f"the control character U+{ord(following):04X} stands in a string"
        return _error(tokens, place, message, hint=f"write {escape}", fix=escape)
    hint = r'close it with `"`; a line break inside a string is written \n'
    return _error(tokens, quote, OPEN_STRING, hint=hint)


def _wrong_quotes(tokens: Tokens, at: int) -> RecollectError:
    start = tokens.starts[at]
    opening = tokens.source[start]
    line_end = tokens.source.find("\n", start)
    line = tokens.source[start + 1 : None if line_end < 0 else line_end]
    message = f'a string stands in double quotes `"`, not in `{opening}`'
    inside, closed, _ = line.partition(QUOTES[opening])
    if not closed:
        return _error(tokens, tokens.span(at), message, hint='use `"`')
    text = quoted(inside)
    whole = Span(start, start + len(inside) + 2)
    return _error(tokens, whole, message, hint=f"use {text}", fix=text)


def _other_spelling(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError | None:
    token, span = tokens.texts[at], tokens.span(at)
    upper = token.upper()
    is_direction = upper in DIRECTIONS and "ORDER" in expected
    if is_word(token) and token != upper and (upper in expected or is_direction):
        message = f"the keyword {upper} is written in upper case, found `{token}`"
        return _error(tokens, span, message, hint=f"use {upper}", fix=upper)
    if upper in LONG_DIRECTIONS and "ORDER" in expected:
        return _written(tokens, span, LONG_DIRECTIONS[upper])
    if "_" in token.strip("_") and all(one in KEYWORDS for one in upper.split("_")):
        return _written(tokens, span, upper.replace("_", " "))
    symbol = SYNONYMS.get(token.upper())
    if symbol is not None and symbol in expected:
        return _written(tokens, span, symbol)
    if token == "=" and ":" in expected:
        return _written(tokens, span, ":")
    if A_VALUE in expected and is_word(token):
        spoken = SPOKEN_VALUES.get(token) or token.lower()
        if spoken in VALUES:
            return _written(tokens, span, spoken)
    if A_VALUE in expected and (token in NOT_NUMBERS or token in ("-", "+")):
        number = token if token in NOT_NUMBERS else token + tokens.texts[at + 1]
        if number.lstrip("+-") in NOT_NUMBERS:
            message = f"{number} is not a JSON number"
            return _error(tokens, span, message, code=INVALID_VALUE, hint="use null")
    return None


def _written(tokens: Tokens, span: Span, better: str) -> RecollectError:
    found = tokens.source[span.start : span.end]
    message = f"found `{found}`, which is written `{better}`"
    return _error(tokens, span, message, hint=f"use {better}", fix=better)


def _other_comparison(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError | None:
    """A comparison spelled as elsewhere, of which this token is the first or the last part."""
    source, span = tokens.source, tokens.span(at)
    if "==" in expected or A_VALUE in expected:
        for spelled, better in OTHER_COMPARISONS.items():
            if source.startswith(spelled, span.start):
                return _written(tokens, Span(span.start, span.start + len(spelled)), better)
            if source.endswith(spelled, 0, span.end):
                return _written(tokens, Span(span.end - len(spelled), span.end), better)
    if tokens.texts[at] == "=" and "==" in expected:
        return _written(tokens, span, "==")
    return None


def _bare_word(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError | None:
    """A word or number that lacks its quotes, or its sigil."""
    token, span = tokens.texts[at], tokens.span(at)
    if not (is_word(token) or token[0].isdecimal()) or len(token) > 200:
        return None
    if A_STRING in expected or A_VALUE in expected:
        text = quoted(token)
        message = f"`{token[:40]}` is not quoted, expected {listed(expected)}"
        return _error(tokens, span, message, hint=f"use {text}", fix=text)
    sigil = "@" if A_HANDLE in expected else "?" if A_VARIABLE in expected else ""
    if not sigil or A_PATTERN in expected or not is_word(token) or token in KEYWORDS:
        return None
    return _error(
        tokens, span, _mismatch(token, expected), hint=f"use {sigil}{token}", fix=f"{sigil}{token}"
    )


def _stray(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError | None:
    """A separator before what stands well without it."""
    token = tokens.texts[at]
    if token not in (",", ";", ".") or not _fits(tokens.texts[at + 1], expected):
        return None
    message = f"this `{token}` separates nothing, expected {listed(expected)}"
    return _error(tokens, tokens.span(at), message, hint=f"remove `{token}`", fix="")


def _fits(token: str, expected: tuple[str, ...]) -> bool:
    return (
        token in expected
        or (token is END and THE_END in expected)
        or (token[0] == "?" and A_VARIABLE in expected)
        or (token in ("{", "(") and A_PATTERN in expected)
        or (token[0] == '"' and A_STRING in expected)
    )


def _missing_bracket(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError | None:
    """A closing bracket or a keyword where an inner bracket should have been closed first."""
    token = tokens.texts[at]
    bracket = innermost_open(tokens, at)
    if bracket is None:
        if token not in CLOSERS.values():
            return None
        message = f"this `{token}` closes nothing, expected {listed(expected)}"
        return _error(tokens, tokens.span(at), message, hint=f"remove `{token}`", fix="")
    closer = CLOSERS[tokens.texts[bracket]]
    ends_it = token in KEYWORDS or token in CLOSERS.values() or token == ";"
    begins_another = token[0] in "?@({" and "," not in expected and at - 1 != bracket
    if closer not in expected or not (ends_it or begins_another):
        return None
    previous = tokens.span(at - 1).end
    line = tokens.source.count("\n", 0, tokens.starts[bracket]) + 1
    error = _error(tokens, tokens.span(at), _mismatch(token, expected))
    error.hint = f"add `{closer}` to close the `{tokens.texts[bracket]}` of line {line}"
    error.fix = Fix(Span(previous, previous), closer)
    return error


def _missing_separator(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError | None:
    token = tokens.texts[at]
    separator = next((one for one in (",", ":") if one in expected), None)
    if separator is None or not (token[0] in '?@$"({[-' or token[0].isalnum()):
        return None
    previous = tokens.span(at - 1).end
    error = _error(tokens, tokens.span(at), _mismatch(token, expected), hint=f"add `{separator}`")
    error.fix = Fix(Span(previous, previous), separator)
    return error


def _near_miss(tokens: Tokens, at: int, expected: tuple[str, ...]) -> RecollectError | None:
    token = tokens.texts[at]
    if not is_word(token):
        return None
    keywords = tuple(one for one in expected if one.isupper())
    statement = FOREIGN_STATEMENTS.get(token.upper())
    if statement in keywords:
        message = f"there is no statement {token}, expected {listed(expected)}"
        return _error(tokens, tokens.span(at), message, hint=f"write it with {statement}")
    word = meant(token, keywords)
    if word is None:
        return None
    message = _mismatch(token, expected)
    error = _error(tokens, tokens.span(at), message, hint=f"use {word}", fix=word)
    error.known = nearest(token, keywords) or (word,)
    return error
