"""How a row of `idioms.txt` is written, and how it is found in a text.

A row is a message, and below it, each on a line of its own: what is `seen`, what to `write` in its
place, and a `hint` where that is more than to use what is written. One message may have several.
`in` names the statement it stands in; `expected` what could have stood
where the text fails; `mark` what is shown as wrong where that is not the token a text fails at:
`all` that is edited, or one part.

What is seen is an example of the tokens. A word in small letters stands for itself in any case,
all else as it is written; what stands between brackets stands right between those. `?a` is a
variable, `"a"` a string, `<a:kind>` one of the kinds below, and `<a:x y>` one of some tokens; the
name may be left out. `<a:kind?>` is there or not, and `<-:kind>` does not follow. `!!` is where
the text fails, else that is anywhere in the row. `<<` and `>>` stand around what is edited.

What is written names the parts: `<a>`, or a form of one, as `<a.quoted>`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.kernel.lang.tokens import CLOSERS, Tokens, quoted
from recollect.kernel.lang.words import AGGREGATES, COMPARISONS, FIELDS, TESTS
from recollect.node import dataclass

AROUND = 400  # tokens before and after the one a text fails at, among which a row is looked for

# A token is a line: the number of its innermost bracket, a space, its text. `>` marks the one that
# the text fails at. `%` stands for the number of an element, `%IN` for that of the bracket around.
_ONE: Final = r">?(?!0 [)}\]])\d+ [^\n]*\n"  # any but a bracket that closes nothing


def _token(text: str) -> str:
    return rf">?\d+ (?:{text})\n"


def _inside(brackets: str, inside: str = f"(?:{_ONE})*?", name: str = "%1") -> str:
    opener, closer = brackets[0], brackets[1]
    return rf">?(?P<{name}>\d+) \{opener}\n{inside}>?(?P={name}) \{closer}\n"


_WORD: Final = r"[^\W\d]\w*"
_COMMA: Final = _token(",")
_COLON: Final = _token(":")
_JOINED: Final = _token(r"&&|\|\|")
_NAMED: Final = _token('"[^\\n]+"')
_MANY: Final = f"(?:{_ONE})*?"
_FLAT: Final = rf"(?:(?!>?%IN ,\n){_ONE})+?"
_DOTTED: Final = "(?:" + _token(r"\.") + _token(_WORD) + ")*"
_FIELD: Final = _token(r"\?\w+") + _DOTTED
_OPERAND: Final = _token(r"[^(){}\[\],\0\n][^\n]*") + _DOTTED
_TEST: Final = _FIELD + _token("|".join((*COMPARISONS, "="))) + _OPERAND
_PAIR: Final = _token(_WORD) + _token("=") + _token(r'"[^\n]*"|[0-9][^\n]*|true|false|null')
_KEYED: Final = _token('"?(?:type|name|id)"?') + f"{_COLON}(?:{_COLON})?{_OPERAND}"
_GROUP: Final = f"(?:{_inside('{}')}|{_inside('()', name='%2')})"
_CLAUSE: Final = f"(?:{_token('[?].+|NOT|OPTIONAL|UNION|FILTER|ATTR|META')})?{_GROUP}"
_METADATA: Final = _token("WITH") + _token("METADATA") + _inside("{}")
_BLOCK: Final = (
    _token("CONCEPT|PROPOSITION") + f"(?:{_token('[?@].+')})?" + _inside("{}", name="%2")
)
_CALL: Final = f"(?:{_token('[A-Z_]+')})?" + _inside("()")

TOKEN_KINDS: Final = {
    "after a percent": r'"%[^%_*"\\]+"',
    "aggregate": "|".join(AGGREGATES),
    "any": r"[^\0\n][^\n]*",
    "at handle": r"@\w+",
    "before a percent": r'"[^%_*"\\]+%"',
    "before a side": "[(,]|" + "|".join(COMPARISONS),
    "between percents": r'"%[^%_*"\\]+%"',
    "binary test": f"(?i:{'|'.join(one for one in TESTS if not one.startswith('IS_'))})",
    "comparison": "|".join(COMPARISONS),
    "count": "[0-9]+",
    "grouped digits": r"[0-9]{1,3}(?:_[0-9]{3})+(?:\.[0-9]+)?",
    "handle": r"[?@]\w+",
    "inequality": "|".join(one for one in COMPARISONS if one != "=="),
    "minus number": r"-[0-9][0-9.]*",
    "named": rf'(?!(?:SET|WHERE)\n){_WORD}|"[^\n]*"',
    "number": r"[0-9]+(?:\.[0-9]+)?",
    "part": r"[\w?][^\n]*",
    "plain": r'"[^\n]*"|[0-9][^\n]*',
    "plus number": r"\+[0-9][0-9.]*",
    "string": r'"[^\n]*"',
    "term": r'["$][^\n]*',
    "test": "|".join(TESTS),
    "variable": r"\?\w+",
    "word": _WORD,
}
"""Kinds of one token, by its text."""

RUN_KINDS: Final = {
    "()": _inside("()"),
    "assignments": f"{_PAIR}(?:{_COMMA}{_PAIR})*",
    "blocks": f"(?:{_BLOCK}(?:{_METADATA})?)+",
    "clause": r"(?=>?\d+ [?({])" + _CLAUSE,
    "clauses": rf"(?=>?\d+ [?({{])(?:{_CLAUSE}(?:{_COMMA})?)+",
    "columns": rf"(?:(?!>?\d+ (?:WHERE|ORDER|LIMIT|OFFSET|CURSOR|\{{|\0)\n){_ONE})+",
    "conditions": f"(?:(?:{_token('!')})*(?:{_CALL}|{_TEST})(?:{_JOINED})?)+",
    "counted": f"(?:{_token('DISTINCT')})?{_FIELD}",
    "field": _FIELD,
    "firsts": rf"(?:{_MANY}>?%IN ,\n)?",  # what stands before a member, with its comma
    "flat": _FLAT,  # without a comma of its bracket
    "group": _GROUP,
    "keyed": _inside("{}", f"{_ONE}{_COLON}{_MANY}"),
    "metadata": _METADATA,
    "names": f"{_NAMED}(?:{_token(r'[|,]|[|][|]|OR|or')}{_NAMED})*",
    "operand": _OPERAND,
    "path": rf'(?=>?\d+ ["?$]){_FLAT}',
    "parameter": f"(?:{_token('[$].+')}|{_COLON}{_token(_WORD)})",
    "pattern": _inside("{}", f"(?:{_KEYED}(?:{_COMMA})?)+"),
    "rest": _MANY,
    "section": _token(r"\?\w+") + _token(r"\.") + _token("attributes|metadata"),
    "sets": f"(?:{_token('SET')}{_ONE}{_inside('{}')})+",
    "side": f"(?:{_FIELD}|" + _token('["0-9$-].*|true|false|null') + ")",
    "stray": r">?0 [)}\]]\n",
    "tests": f"{_TEST}(?:{_JOINED}(?:{_TEST}|{_FIELD}))*",
    "value": "(?:" + _token('["$].*') + f"|{_inside('[]')})",
    "{}": _inside("{}"),
}
"""Kinds of several tokens, by their lines."""

_OWN_KEY: Final = re.compile(rf"^(\?\w+)\.(?!(?:{'|'.join(FIELDS)})\b)")
_ONE_SIGN: Final = re.compile("(?<![=!<>])=(?!=)")

FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "bare": lambda text: text.strip('"'),
    "bars": lambda text: " | ".join(re.findall(r'"[^"]*"', text)),
    "colons": lambda text: re.sub(r'("(?:[^"\\]|\\.)*")|\s*=\s*', lambda one: one[1] or ": ", text),
    "inner": lambda text: text[1:-1].replace("=", ":"),
    "key": lambda text: text[1:-1] if re.fullmatch(f'"{_WORD}"', text) else text,
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

_ELEMENT: Final = re.compile(r"<[\w-]*:.+?>(?= |$)|\S+")
_CLASS: Final = re.compile(r"<([\w-]*):(.+?)(\??)>")
_PART: Final = re.compile(r"<(\w+)(?:\.(\w+))?>")


@dataclass(frozen=True, slots=True)
class IdiomRow:
    """One form of an idiom: how it is known, and what is said of it."""

    message: str
    shown: str  # what is seen, as the table has it
    seen: re.Pattern[str]
    failing: re.Pattern[str] | None  # what the token is that the text fails at, if that is said
    write: str | None
    hint: str
    statement: str
    expected: str
    mark: str


@cache
def rows() -> tuple[IdiomRow, ...]:
    """Return the rows of the table, in the order in which they are tried."""
    text = files("recollect.kernel.lang.repair").joinpath("idioms.txt").read_text("utf-8")
    return tuple(row for idiom in text.strip().split("\n\n") for row in _rows(idiom))


def _rows(idiom: str) -> Iterator[IdiomRow]:
    message, *lines = idiom.split("\n")
    shared, forms = dict[str, str](), list[dict[str, str]]()
    for line in lines:
        word, _, said = line.strip().partition(" ")
        if word == "seen":
            forms.append({**shared, word: said})
        else:
            (forms[-1] if forms else shared)[word] = said
    for form in forms:
        seen, failing = _compiled(form["seen"])
        write, hint = form.get("write"), form.get("hint", "use <edit>")
        others = (form.get(word, "") for word in ("in", "expected", "mark"))
        yield IdiomRow(message, form["seen"], seen, failing, write, hint, *others)


def _compiled(seen: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Return the expression for what is seen, and for the token alone that the text fails at."""
    found, failing, is_failing = "", None, False
    opened: list[str] = []
    for number, element in enumerate(_ELEMENT.findall(seen)):
        around = f"(?P=_{opened[-1]})" if opened else r"\d+"
        match element:
            case "!!":
                is_failing = True
                found += "(?=>)"
                continue
            case "<<" | ">>":
                found += "(?P<FIRST>)" if element == "<<" else "(?P<LAST>)"
                continue
            case "(" | "{" | "[":
                opened.append(str(number))
                lines, alone = rf">?(?P<_{number}>\d+) \{element}\n", rf">?\d+ \{element}\n"
            case ")" | "}" | "]" if opened:
                opened.pop()
                lines, alone = rf">?{around} \{element}\n", rf">?\d+ \{element}\n"
            case _:
                lines, alone = (_lines(element, str(number), one) for one in (around, r"\d+"))
        found += lines
        if is_failing:
            failing, is_failing = re.compile(alone), False
    return re.compile(found), failing


def _lines(element: str, number: str, around: str) -> str:
    """Return the expression for the lines that an element stands for, with its name."""
    given = _CLASS.fullmatch(element)
    if given is not None:
        name, kind, may_lack = given.groups()
    else:
        name, kind, may_lack = element.strip('?"'), element, ""
        kind = {"?": "variable", '"': "string"}.get(element[0], kind) if len(element) > 1 else kind
        name = name if kind != element else ""
    if kind in RUN_KINDS:
        lines = RUN_KINDS[kind].replace("%IN", around).replace("%", f"_{number}_")
    else:
        text = TOKEN_KINDS.get(kind) or "|".join(map(_literal, kind.split(" ")))
        inside = r"\d+" if any(one in kind for one in "(){}[]") else around
        lines = f">?{inside} (?:{text})\n"
    if name == "-":
        return f"(?!{lines})"
    lines = f"(?:{lines})?" if may_lack else lines
    return f"(?P<{name}>{lines})" if name else lines


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
        if row.failing and not row.failing.match(self._lines, self._begins[self._failing]):
            return None
        for begin in reversed(self._begins[: self._failing + 1]):
            seen = row.seen.match(self._lines, begin)
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
            if row.failing or first <= self._failing + self._first <= end:
                return parts
        return None

    def _token(self, place: int) -> int:
        return bisect_left(self._begins, place) + self._first


def filled(template: str, texts: Mapping[str, str]) -> str:
    """Return a template with its parts written in."""
    return _PART.sub(lambda one: FORMS.get(one[2], str)(texts[one[1]]), template)
