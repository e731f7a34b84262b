"""A regular expression of RE2 as one that the server understands, matching the same texts.

The rule: the server is told characters by number, and where a match begins and ends, and nothing
whose meaning it knows differently: no class by name, no dot, no `^`, no flags. Which characters a
class holds, or a letter in either case, is asked of RE2 itself.

What a match is made of is not asked for, only whether there is one: so groups capture nothing, and
nothing is lazy. RE2 looks at bytes, so that what matches the empty text in no word's edge is found
within every character that takes several.
"""

from __future__ import annotations

import functools
import re
from typing import Final

import re2

from recollect.errors import INVALID_SYNTAX, RESOURCE_EXHAUSTED
from recollect.kernel.store.functions import compile_pattern
from recollect.node import dataclass

_MOST_REPEATED: Final = 255  # by one bound of the server
_MOST_WRITTEN: Final = 100_000  # characters of an expression for the server
_LAST: Final = 0x10FFFF
_EMPTY: Final = "(?:)"
_WORD: Final = "[0-9A-Za-z_]"
_NO_ASCII: Final = "[\\u0080-\\U0010ffff]"
_EDGE: Final = f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_NO_EDGE: Final = f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))"
_ASSERTIONS: Final = {r"\A": r"\A", r"\z": r"\Z", r"\b": _EDGE, r"\B": _NO_EDGE}
_LINES: Final = {"^": r"(?:\A|(?<=\n))", "$": r"(?:\Z|(?=\n))"}
_TEXT: Final = {"^": r"\A", "$": r"\Z"}

_TOKEN: Final = re.compile(
    r"""
    (?P<quoted> \\Q (?s:.*?) (?: \\E | \Z ) )
  | (?P<byte> \\C )
  | (?P<assertion> \\[AzbB] )
  | (?P<class> \[ \^? \]? (?: \[:\^?\w+:\] | \\(?s:.) | [^]\\] )* \]
             | \\[pP] (?: \{[^}]*\} | \w ) | \\[dDsSwW] | \. )
  | (?P<letter> \\x\{[0-9A-Fa-f]+\} | \\x[0-9A-Fa-f]{2} | \\[0-7]{1,3} | \\(?s:.) )
  | (?P<flags> \( \? (?P<set> [imsU]* (?: -[imsU]+ )? ) \) )
  | (?P<open> \( (?: \? (?: P?<\w+> | (?P<own> [imsU]* (?: -[imsU]+ )? ) : ) )? )
  | (?P<close> \) )
  | (?P<or> \| )
  | (?P<times> (?: [*+?] | \{\d+(?:,\d*)?\} ) \?? )
  | (?P<line> [\^$] )
  | (?P<plain> (?s:.) )
    """,
    re.VERBOSE,
)


def translated(pattern: str) -> str:
    r"""Return the expression for the server; KIP_1001 for what is none, KIP_4002 for a long one.

    >>> translated("a.b$"), translated(r"(?i)k{2}")
    ('a[\\u0001-\\u0009\\u000b-\\U0010ffff]b\\Z', '(?:[Kk\\u212a]){2,2}')
    """
    compile_pattern(pattern)
    written = _Translation(pattern).whole()
    if len(written) > _MOST_WRITTEN:
        raise RESOURCE_EXHAUSTED.error(
            "the regular expression is too long for the server",
            "write a shorter one, or use CONTAINS",
            details={"characters": len(pattern)},
        )
    return written


@dataclass(slots=True)
class _Piece:
    """A part of an expression."""

    text: str
    is_assertion: bool = False  # whether it can match nothing but the empty text
    is_hollow: bool = False  # whether it matches between the bytes of one character


class _Translation:
    """One reading of a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._tokens = list(_TOKEN.finditer(pattern))
        self._at = 0
        self._flags = frozenset[str]()

    def whole(self) -> str:
        """Return the expression."""
        piece = self._alternatives()
        return f"{piece.text}|{_NO_ASCII}" if piece.is_hollow else piece.text

    def _alternatives(self) -> _Piece:
        """Read up to the end of a group, or of the pattern."""
        outer = self._flags
        branches: list[list[_Piece]] = [[]]
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token["close"]:
                break
            if token["or"]:
                branches.append([])
            elif token["flags"]:
                self._flags = _with(self._flags, token["set"])
            elif token["times"] and branches[-1]:
                branches[-1][-1] = _repeated(branches[-1][-1], token["times"])
            else:
                branches[-1] += self._pieces(token)
        self._flags = outer
        texts = ["".join([one.text for one in branch]) or _EMPTY for branch in branches]
        return _Piece(
            "|".join(texts),
            all(one.is_assertion for branch in branches for one in branch),
            any(all(one.is_hollow for one in branch) for branch in branches),
        )

    def _pieces(self, token: re.Match[str]) -> list[_Piece]:
        text = token[0]
        if token["byte"]:
            raise INVALID_SYNTAX.error(
                r"\C, a single byte, is not known on a server", "use . for a single character"
            )
        if token["open"]:
            return [self._group(token["own"] or "")]
        if token["quoted"]:
            return [self._letter(one) for one in text[2:].removesuffix(r"\E")]
        if token["assertion"]:
            return [_Piece(_ASSERTIONS[text], is_assertion=True, is_hollow=text == r"\B")]
        if token["line"]:
            places = _LINES if "m" in self._flags else _TEXT
            return [_Piece(places[text], is_assertion=True)]
        if token["class"]:
            return [_Piece(_members("".join(sorted(self._flags & {"i", "s"})), text))]
        if token["letter"]:
            flags = "i" if "i" in self._flags else ""
            return [_Piece(_members(flags, text))]
        return [self._letter(text)]

    def _group(self, flags: str) -> _Piece:
        outer, self._flags = self._flags, _with(self._flags, flags)
        inner = self._alternatives()
        self._flags = outer
        return _Piece(f"(?:{inner.text})", inner.is_assertion, inner.is_hollow)

    def _letter(self, letter: str) -> _Piece:
        if "i" in self._flags:
            return _Piece(_members("i", re2.escape(letter)))
        return _Piece(_spelled(letter))


def _with(flags: frozenset[str], change: str) -> frozenset[str]:
    on, _, off = change.partition("-")
    return flags.union(on).difference(off)


def _repeated(piece: _Piece, times: str) -> _Piece:
    """Return a piece so many times, by several bounds where one does not reach."""
    least, most = _bounds(times.removesuffix("?") if len(times) > 1 else times)
    if piece.is_assertion:
        return piece if least else _Piece(_EMPTY, is_assertion=True, is_hollow=True)
    text, is_hollow = f"(?:{piece.text})", piece.is_hollow or not least
    if most is None:
        bound = "*" if least == 0 else "+" if least == 1 else None
        if bound is not None:
            return _Piece(text + bound, is_hollow=is_hollow)
        return _Piece(_repeated(piece, f"{{{least}}}").text + f"{text}*", is_hollow=is_hollow)
    found = ""
    while most > 0 or not found:
        step = min(most, _MOST_REPEATED)
        found += f"{text}{{{min(least, step)},{step}}}"
        least, most = max(0, least - step), most - step
    return _Piece(found, is_hollow=is_hollow)


def _bounds(times: str) -> tuple[int, int | None]:
    match times:
        case "*":
            return 0, None
        case "+":
            return 1, None
        case "?":
            return 0, 1
    least, comma, most = times[1:-1].partition(",")
    if not comma:
        return int(least), int(least)
    return int(least), int(most) if most else None


@functools.lru_cache(maxsize=256)
def _members(flags: str, unit: str) -> str:
    """Return the characters that a class or a letter of RE2 stands for, as a class of numbers.

    Cost: a search through all characters there are, the first time.
    """
    options = re2.Options()
    options.log_errors = False
    found = re2.compile(f"(?{flags})(?:{unit})+" if flags else f"(?:{unit})+", options)
    runs = [one.group().decode() for one in found.finditer(_every())]
    if not runs:
        return "(?!)"
    spelled = [_spelled(run[0]) + (f"-{_spelled(run[-1])}" if len(run) > 1 else "") for run in runs]
    if len(runs) == 1 and len(runs[0]) == 1:
        return spelled[0]
    return f"[{''.join(spelled)}]"


@functools.cache
def _every() -> bytes:
    """Return all characters that a text can have, in order."""
    return "".join(map(chr, (*range(1, 0xD800), *range(0xE000, _LAST + 1)))).encode()


def _spelled(letter: str) -> str:
    """Return a character as the server reads it, alone or in a class."""
    if letter.isascii() and letter.isalnum():
        return letter
    number = ord(letter)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
