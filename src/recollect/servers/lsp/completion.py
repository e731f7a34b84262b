"""What an editor proposes while somebody types: keywords, names of the text, names in use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from lsprotocol.types import CompletionItem, CompletionItemKind, Position, Range, TextEdit

from recollect.kernel import Place, Wanted, meaning_of, place_at
from recollect.servers.lsp.positions import Positions
from recollect.servers.lsp.vocabulary import METADATA_KEYS, Vocabulary

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
