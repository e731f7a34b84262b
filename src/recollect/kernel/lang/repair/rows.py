"""How a row of `idioms.txt` is written, and how it is found in a text.

A row is a message, and below it, each on a line of its own: what is `seen`, what to `write` in its
place, and a `hint` where that is more than to use what is written. One message may have several
rows. `in` names the statement that a row stands in; `expected` is what could have stood where the
text fails; `mark` is what is shown as wrong where that is not the token a text fails at: `all`
that is edited, or one part. Above what is seen, these are of all rows of their message.

What is seen is an example of the tokens. A word in small letters stands for itself in any case,
all else as it is written; what stands between brackets stands right between those. `?a` is a
variable, `"a"` a string, `<a:kind>` a kind of `kinds.txt`, and `<a:x y>` one of some tokens; the
name may be left out. `<a:kind?>` is there or not, `<a:kind*>` any number of times, `<a:kind+>`
once or more, and `<-:kind>` does not follow; `<=:a>` is
the token `a` again. `!!` is where the text fails; without it that is
anywhere in the edit. `<<` and `>>` stand around what is edited.

What is written, a hint and a message name the parts: `<a>`, or a form of one, as `<a.quoted>`;
`<all>` is what is edited, `<seen>` the token a text fails at, `<edit>` what is written. A kind is
an expression for one token between `/`, or an example of several; two lines are two forms of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.kernel.lang.tokens import CLOSERS, Tokens, quoted
from recollect.kernel.lang.words import AGGREGATES, ARITHMETIC, COMPARISONS, FIELDS, TESTS
from recollect.node import dataclass

AROUND = 400  # tokens before and after the one a text fails at, among which a row is looked for

# A token is a line: the number of its innermost bracket, a space, its text. `>` marks the one that
# the text fails at.
_ONE: Final = r">?(?!0 [)}\]])\d+ .*\n"  # any but a bracket that closes nothing
_LISTS: Final = {
    "aggregate": AGGREGATES,
    "arithmetic": ARITHMETIC,
    "before a side": ("(", ",", *COMPARISONS),
    "binary test": tuple(one.lower() for one in TESTS if not one.startswith("IS_")),
    "comparison": COMPARISONS,
    "inequality": tuple(one for one in COMPARISONS if one != "=="),
    "test": TESTS,
}
"""Kinds of one token that the words of the language are."""

_RUNS: Final = {
    "one": _ONE,
    "rest": f"(?:{_ONE})*?",
    "flat": rf"(?:(?!>?%IN ,\n){_ONE})+?",  # without a comma of its bracket
    "stray": r">?0 [)}\]]\n",
}
"""What a table cannot say: lines of which the least are taken, `%IN` the bracket they stand in."""


@cache
def _kinds() -> Mapping[str, list[str]]:
    """Return what each kind of `kinds.txt` may look like."""
    text = files("recollect.kernel.lang.repair").joinpath("kinds.txt").read_text("utf-8")
    found = defaultdict[str, list[str]](list)
    for line in text.split("\n"):
        kind, _, seen = line.partition("  ")
        found[kind].append(seen.strip())
    return found


_OWN_KEY: Final = re.compile(rf"^(\?\w+)\.(?!(?:{'|'.join(FIELDS)})\b)")
_ONE_SIGN: Final = re.compile("(?<![=!<>])=(?!=)")

FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "bare": lambda text: text.strip('"'),
    "bars": lambda text: " | ".join(re.findall(r'"[^"]*"', text)),
    "colons": lambda text: re.sub(r'("(?:[^"\\]|\\.)*")|\s*=\s*', lambda one: one[1] or ": ", text),
    "inner": lambda text: text[1:-1].replace("=", ":"),
    "key": lambda text: text[1:-1] if re.fullmatch(r'"[^\W\d]\w*"', text) else text,
    "name": lambda text: text[1:],
    "parameter": lambda text: f"${text[1:]}",
    "quoted": lambda text: text if text[0] in '"$' else quoted(text),
    "tested": lambda text: _OWN_KEY.sub(r"\1.attributes.", _ONE_SIGN.sub("==", text, 1)),
    "ungrouped": lambda text: text.replace("_", ""),
    "upper": str.upper,
    "variable": lambda text: f"?{text[1:]}",
    "whole": lambda text: text.replace("%", ""),
}
"""Ways to write a part of what is seen."""

_ELEMENT: Final = re.compile(r"<[\w=-]*:.+?>(?= |$)|\S+")
_CLASS: Final = re.compile(r"<([\w=-]*):(.+?)([?*+]?)>")
_PART: Final = re.compile(r"<(\w+)(?:\.(\w+))?>")


@dataclass(frozen=True, slots=True)
class IdiomRow:
    """One form of an idiom: how it is known, and what is said of it."""

    message: str
    seen: str
    write: str | None
    hint: str
    statement: str
    expected: str
    mark: str


@cache
def rows() -> tuple[IdiomRow, ...]:
    """Return the rows of the table, in the order in which they are tried."""
    text = files("recollect.kernel.lang.repair").joinpath("idioms.txt").read_text("utf-8")
    idioms = (one for one in text.strip().split("\n\n") if one[0] != "#")
    return tuple(row for idiom in idioms for row in _rows(idiom))


def _rows(idiom: str) -> Iterator[IdiomRow]:
    message, *lines = idiom.split("\n")
    shared, forms = dict[str, str](), list[dict[str, str]]()
    for line in lines:
        word, _, said = line[2:].partition(" ")
        if word == "seen":
            forms.append({**shared, word: said})
        else:
            (forms[-1] if forms else shared)[word] = said
    for form in forms:
        write, hint = form.get("write"), form.get("hint", "use <edit>")
        others = (form.get(word, "") for word in ("in", "expected", "mark"))
        yield IdiomRow(message, form["seen"], write, hint, *others)


@cache
def _whole(seen: str) -> re.Pattern[str]:
    """Return the expression for all that is seen."""
    return re.compile(_lines(seen, "_"))


@cache
def _failing(seen: str) -> re.Pattern[str] | None:
    """Return the expression for the token that a text fails at, if that is said."""
    _, mark, rest = seen.partition("!! ")
    first = _ELEMENT.search(rest.removeprefix("<< ").removeprefix(">> "))
    return re.compile(_lines(first[0], "_")) if mark and first else None


def _lines(seen: str, number: str, around: str = r"\d+") -> str:
    """Return the expression for the lines that look like some elements."""
    found, opened = "", list[str]()
    for at, element in enumerate(_ELEMENT.findall(seen)):
        inside = f"(?P={opened[-1]})" if opened else around
        match element:
            case "!!":
                found += "(?=>)"
            case "<<" | ">>":
                found += "(?P<FIRST>)" if element == "<<" else "(?P<LAST>)"
            case "(" | "{" | "[":
                opened.append(f"{number}_{at}")
                found += rf">?(?P<{opened[-1]}>\d+) \{element}\n"
            case ")" | "}" | "]" if opened:
                found += rf">?{inside} \{element}\n"
                opened.pop()
            case _:
                found += _element(element, f"{number}_{at}", inside)
    return found


def _element(element: str, number: str, around: str) -> str:
    """Return the expression for the lines that an element stands for, with its name."""
    given = _CLASS.fullmatch(element)
    name, kind, often = given.groups() if given else ("", element, "")
    if not given and len(element) > 1 and element[0] in '?"':
        name, kind = element.strip('?"'), "variable" if element[0] == "?" else "string"
    forms = _kinds().get(kind, [""]) if kind != element else [""]  # a word stands for itself
    if name == "=":
        return rf">?\d+ (?P=_{kind})\n"
    if kind in _RUNS:
        lines = _RUNS[kind].replace("%IN", around)
    elif forms[0] and forms[0][0] != "/":
        lines = "|".join(_lines(one, f"{number}_{at}", around) for at, one in enumerate(forms))
    else:
        tokens = _LISTS.get(kind) or kind.split(" ")
        inside = r"\d+" if any(one in "(){}[]" for one in tokens) else around
        text = forms[0][1:-1] or "|".join(map(_literal, tokens))
        text = f"(?P<_{name}>{text})" if name.isalnum() else f"(?:{text})"
        lines = f">?{inside} {text}\n"
    if name == "-":
        return f"(?!{lines})"
    return f"(?P<{name}>(?:{lines}){often})" if name else f"(?:{lines}){often}"


def _literal(token: str) -> str:
    if token == "END":
        return r"\0"
    return f"(?i:{token})" if token.islower() else re.escape(token)


class Surroundings:
    """The tokens around the one that a text fails at, each a line."""

    def __init__(self, tokens: Tokens, at: int) -> None:
        self._tokens, self._first = tokens, max(0, at - AROUND)
        self._failing = at - self._first
        self._begins = [0]
        lines, opened = list[str](), list[int]()
        for place, token in enumerate(tokens.texts[self._first : at + AROUND]):
            is_closed = bool(opened) and token == CLOSERS[tokens.texts[opened[-1] + self._first]]
            if token in CLOSERS:
                opened.append(place)
            is_stray = token in CLOSERS.values() and not is_closed
            around = opened[-1] + 1 if opened and not is_stray else 0
            lines.append(f"{'>' if place == self._failing else ''}{around} {token}\n")
            self._begins.append(self._begins[-1] + len(lines[-1]))
            if is_closed:
                opened.pop()
        self._lines = "".join(lines)

    def found(self, row: IdiomRow) -> dict[str, tuple[int, int]] | None:
        """Return the parts of a row that stands here, nearest before the failing token.

        A part is its first token and the one after its last.
        """
        failing = _failing(row.seen)
        if failing and not failing.match(self._lines, self._begins[self._failing]):
            return None
        whole = _whole(row.seen)
        for begin in reversed(self._begins[: self._failing + 1]):
            seen = whole.match(self._lines, begin)
            if seen is None:
                continue
            parts = {
                name: (self._token(seen.start(name)), self._token(seen.end(name)))
                for name, text in seen.groupdict().items()
                if text is not None and name[0] != "_"
            }
            if "FIRST" in parts:
                parts["all"] = (parts.pop("FIRST")[0], parts.pop("LAST")[0])
            first, end = parts.get("all", (0, 0))
            if failing or first <= self._failing + self._first <= end:
                return parts
        return None

    def _token(self, place: int) -> int:
        return bisect_left(self._begins, place) + self._first


def filled(template: str, texts: Mapping[str, str]) -> str:
    """Return a template with its parts written in."""
    return _PART.sub(lambda one: FORMS.get(one[2], str)(texts[one[1]]), template)
