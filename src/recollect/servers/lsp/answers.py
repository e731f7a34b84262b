"""What the language server answers about a text: diagnostics, fixes, hover, layout, proposals.

The rule: nothing here knows the protocol's traffic or keeps anything. An editor counts columns in
UTF-16 code units, where a character beyond U+FFFF takes two, and ends a line only at a line feed, a
carriage return, or both. What is proposed while somebody types are keywords, names of the text, and
names in use; that is silent, so a memory that cannot be read just now has no names.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from lsprotocol import types
from lsprotocol.types import CompletionItem, CompletionItemKind, Position, Range, TextEdit

from recollect.errors import RecollectError, Span
from recollect.faces.kip import execute_kip_readonly
from recollect.kernel import (
    Diagnostic,
    Nexus,
    Place,
    Severity,
    Wanted,
    check,
    format_text,
    meaning_of,
    place_at,
)
from recollect.node import dataclass

MOST_DESCRIBED = 20
"""Types whose attributes are looked at: those the text names, else the first of the memory."""

METADATA_KEYS = (
    "author",
    "confidence",
    "created_at",
    "evidence",
    "expires_at",
    "memory_strength",
    "observed_at",
    "source",
    "status",
    "valid_from",
    "valid_until",
    "_created_at",
    "_expired_at",
    "_invalid_at",
    "_updated_at",
    "_valid_at",
    "_version",
)
"""The keys that the specification names, and those that the memory keeps itself."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of one memory, or of none."""

    nexus: Nexus | None = None

    def types(self) -> tuple[str, ...]:
        """Return the types of concepts in use."""
        return self._listed("DESCRIBE CONCEPT TYPES", "items")

    def predicates(self) -> tuple[str, ...]:
        """Return the predicates in use."""
        return self._listed("DESCRIBE PROPOSITION TYPES", "items")

    def attributes(self, named: Iterable[str]) -> tuple[str, ...]:
        """Return the attributes of some types and predicates, or of all types if none is in use."""
        types, predicates = self.types(), self.predicates()
        named = tuple(named)
        of_types = [name for name in named if name in types]
        of_predicates = [name for name in named if name in predicates]
        found: dict[str, None] = {}
        for name in (of_types or types)[:MOST_DESCRIBED]:
            found |= dict.fromkeys(self._listed("DESCRIBE CONCEPT TYPE $name", "attributes", name))
        for name in of_predicates[:MOST_DESCRIBED]:
            command = "DESCRIBE PROPOSITION TYPE $name"
            found |= dict.fromkeys(self._listed(command, "attributes", name))
        return tuple(found)

    def _listed(self, command: str, member: str, name: str | None = None) -> tuple[str, ...]:
        """Return the names in the list that a DESCRIBE answers with; none if it fails."""
        if self.nexus is None:
            return ()
        parameters = {} if name is None else {"name": name}
        match execute_kip_readonly(self.nexus, command, parameters=parameters).get("result"):
            case dict() as result:
                items = result.get(member)
                return tuple(_names(items if isinstance(items, list) else []))
        return ()


def _names(items: Iterable[object]) -> Iterator[str]:
    for item in items:
        match item:
            case {"name": str() as name}:
                yield name


_LINE_END = re.compile(r"\r\n|\n|\r")


class Positions:
    """The places of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [found.start() for found in _LINE_END.finditer(text)]
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]

    def position(self, offset: int) -> Position:
        r"""Return the line and column of a character; those beyond the text are at its end.

        >>> Positions("\U0001f48a?x").position(1)
        0:2
        """
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, _units(self._text[self._starts[line] : offset]))

    def range(self, span: Span) -> Range:
        """Return where a span begins and ends."""
        return Range(self.position(span.start), self.position(span.end))

    def offset(self, position: Position) -> int:
        r"""Return the character at a line and column; a column beyond its line is at its end.

        >>> Positions("\U0001f48a?x").offset(Position(0, 2))
        1
        """
        if position.line >= len(self._starts):
            return len(self._text)
        start = self._starts[position.line]
        is_last = position.line == len(self._ends)
        line = self._text[start : len(self._text) if is_last else self._ends[position.line]]
        if line.isascii():
            return start + min(position.character, len(line))
        units = 0
        for at, character in enumerate(line):
            if units >= position.character:
                return start + at
            units += 1 + (ord(character) > 0xFFFF)
        return start + len(line)


def _units(text: str) -> int:
    return len(text) + sum(ord(one) > 0xFFFF for one in text)


SIGNS = {
    Wanted.VARIABLE: r"\?[^\W\d]\w*",
    Wanted.HANDLE: r"@[^\W\d]\w*",
    Wanted.PLACEHOLDER: r"\$[^\W\d]\w*",
}
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def completions(text: str, position: Position, vocabulary: Vocabulary) -> list[CompletionItem]:
    """Return what may be written at a place, in the order in which it is proposed."""
    positions = Positions(text)
    offset = positions.offset(position)
    place = place_at(text, offset)
    begins = positions.position(offset - len(place.begun))
    where = Range(begins, position)
    seen: dict[str, CompletionItem] = {}
    for item in _proposed(text, offset, place, vocabulary):
        if item.label.casefold().startswith(place.begun.casefold()):
            seen.setdefault(item.label, _placed(item, where, len(seen)))
    return list(seen.values())


def _proposed(
    text: str, offset: int, place: Place, vocabulary: Vocabulary
) -> Iterator[CompletionItem]:
    match place.wanted:
        case Wanted.TYPE:
            yield from _items(vocabulary.types(), "type", CompletionItemKind.Class)
        case Wanted.PREDICATE:
            yield from _items(vocabulary.predicates(), "predicate", CompletionItemKind.Reference)
        case Wanted.ATTRIBUTE:
            keys = vocabulary.attributes(QUOTED.findall(text))
            yield from _items(keys, "attribute", CompletionItemKind.Property)
        case Wanted.METADATA_KEY:
            yield from _items(METADATA_KEYS, "metadata", CompletionItemKind.Property)
        case Wanted.FIELD:
            yield from _items(place.words, "field", CompletionItemKind.Field)
        case Wanted.VARIABLE | Wanted.HANDLE | Wanted.PLACEHOLDER:
            yield from _written(text, offset, place.wanted, place.begun)
        case Wanted.KEYWORD:
            if place.takes_variable:
                yield from _written(text, offset, Wanted.VARIABLE, place.begun)
            if place.takes_handle:
                yield from _written(text, offset, Wanted.HANDLE, place.begun)
            yield from (_keyword(word) for word in place.words)
        case Wanted.NOTHING:
            return


def _items(names: Iterable[str], detail: str, kind: CompletionItemKind) -> Iterator[CompletionItem]:
    for name in names:
        written = json.dumps(name, ensure_ascii=False)[1:-1]
        yield CompletionItem(written, kind=kind, detail=detail)


def _written(text: str, offset: int, wanted: Wanted, begun: str) -> Iterator[CompletionItem]:
    """Yield the names in the text that begin with a sign, except the one that is being typed."""
    start = offset - len(begun)
    found = (one for one in re.finditer(SIGNS[wanted], text) if one.start() != start)
    names = sorted({one.group() for one in found})
    yield from (
        CompletionItem(name, kind=CompletionItemKind.Variable, detail=wanted.value)
        for name in names
    )


def _keyword(word: str) -> CompletionItem:
    meaning = meaning_of(word)
    return CompletionItem(
        word,
        kind=CompletionItemKind.Keyword,
        detail=None if meaning is None else meaning.form,
        documentation=None if meaning is None else meaning.text,
    )


def _placed(item: CompletionItem, where: Range, rank: int) -> CompletionItem:
    """Return an item that replaces the word at its place, sorted as it is proposed."""
    item.text_edit = TextEdit(where, item.label)
    item.filter_text = item.label
    item.sort_text = f"{rank:04}"
    return item


SOURCE = "recollect"
_WORD = re.compile(r"[A-Z_]+")
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}


def diagnostics(uri: str, text: str) -> list[types.Diagnostic]:
    """Return what is wrong with a text and doubtful in it; an empty text is neither."""
    if not text.strip():
        return []
    positions = Positions(text)
    return [_diagnostic(uri, one, positions) for one in check(text)]


def quick_fixes(uri: str, text: str, where: types.Range) -> list[types.CodeAction]:
    """Return the edits that mend what is wrong in a range."""
    positions = Positions(text)
    start, end = positions.offset(where.start), positions.offset(where.end)
    actions = []
    for one in check(text):
        if one.fix is None or one.span.end < start or one.span.start > end:
            continue
        edit = types.TextEdit(positions.range(one.fix.span), one.fix.text)
        actions.append(
            types.CodeAction(
                one.hint or "mend it",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(uri, one, positions)],
                edit=types.WorkspaceEdit(changes={uri: [edit]}),
                is_preferred=True,
            )
        )
    return actions


def hover(text: str, position: types.Position) -> types.Hover | None:
    """Return what the keyword at a place means; None if there is no keyword."""
    positions = Positions(text)
    offset = positions.offset(position)
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        if word.start() <= offset <= word.end():
            before = words[at - 1].group() if at else ""
            meaning = meaning_of(word.group(), before)
            if meaning is None:
                return None
            shown = f"```kip\n{meaning.form}\n```\n{meaning.text}"
            return types.Hover(
                types.MarkupContent(types.MarkupKind.Markdown, shown),
                positions.range(Span(word.start(), word.end())),
            )
    return None


def layout(text: str) -> list[types.TextEdit]:
    """Return the edit that lays a text out; none for one that is laid out, or does not parse."""
    try:
        better = format_text(text)
    except RecollectError:
        return []
    if better == text:
        return []
    return [types.TextEdit(Positions(text).range(Span(0, len(text))), better)]


def _diagnostic(uri: str, one: Diagnostic, positions: Positions) -> types.Diagnostic:
    related = None
    if one.first is not None:
        earlier = types.Location(uri, positions.range(one.first))
        related = [types.DiagnosticRelatedInformation(earlier, "before")]
    message = f"{one.message}\n{one.hint}" if one.hint else one.message
    return types.Diagnostic(
        positions.range(one.span),
        message,
        severity=_SEVERITIES[one.severity],
        code=one.code,
        source=SOURCE,
        related_information=related,
    )
