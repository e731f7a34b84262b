"""The text by which an element is found, its tokens, and what people call it.

The rule: Python alone decides where a token begins and ends and what it is folded to; the
engine only stems. Scripts written with spaces give one token a word. Scripts written without
give overlapping pairs of characters, and the last character of a run once more alone, so that
a query of one character, looked for as a prefix, finds it wherever it stands. Words that questions
are made of are dropped from queries, never from documents, and never when nothing is left.

A document holds only what its own row says. The names of a link's ends are not in it; otherwise
renaming one concept would rewrite the documents of all its links. It has the strings in attributes
and metadata, at any depth, except those that the memory itself keeps there; numbers and flags are
found by FILTER. An element may list in its metadata the attributes to be searched; then only those,
its name or predicate and its aliases are. A concept that says `false` there has no words at all,
and one may say that its name is an id, which is not searched. A name that says nothing to a person
gives way to words it is found by.

The index of texts holds these tokens, as the writer keeps it and as it is rebuilt from the rows. An
element's document stands under its own id, in the living partition until the element is closed,
then in the closed one, and never comes back. Contents that were superseded
have documents of their own in the closed partition, numbered by `text_past`. Documents and words of
every partition are counted in `tally`, for ranking. Nothing reaches the store before `flush`. What
is rebuilt is exactly what the writer would have written, so it gives the same answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import orjson

from recollect.kernel.store.cells import (
    TALLY_DOCUMENTS,
    TALLY_TOKENS,
    SqlValue,
    members,
    text,
    whole,
    without_long_runs,
)
from recollect.kernel.store.group import add_counts
from recollect.kernel.store.port import (
    IndexedDocuments,
    Partition,
    Session,
    SqlRow,
    Term,
    partition_of,
)
from recollect.kernel.store.statements.text_index import (
    ELEMENTS,
    FORGET_COUNTS,
    FORGET_PAST,
    LAST_PAST,
    PAST_DOCUMENTS,
    PUT_PAST,
    REMOVE_PAST,
    SAID,
    SAID_BEFORE,
)
from recollect.model import (
    CONCEPT_BIT,
    LINK_BIT,
    LIVING,
    SEARCH_ATTRIBUTES,
    SEARCH_NAME,
    Attributes,
    Progress,
    Value,
    silent,
)
from recollect.node import dataclass

LONGEST = 64
"""Characters kept of a token; what is cut off is cut off in queries too."""

_FIRST_DROPPED_CLASS = 10  # accents and points; kana voicing, virama and vowel signs are below

_UNSPACED = re.compile(
    "["
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3035\u3038-\u303b"  # Han: radicals, marks, numerals
    "\u3041-\u30ff\u3100-\u31ff"  # Hiragana, Katakana, Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
    "]+"
)


class _Folding(dict[int, str]):
    """What each code point becomes, computed when it is first met."""

    def __missing__(self, point: int) -> str:
        """Return the folded letters of a word character, nothing, or a space."""
        folded = unicodedata.normalize("NFKD", chr(point)).casefold()
        kept = [
            one
            for one in unicodedata.normalize("NFKD", folded)
            if unicodedata.combining(one) < _FIRST_DROPPED_CLASS
        ]
        text = unicodedata.normalize("NFC", "".join(_word_or_space(one) for one in kept))
        self[point] = text
        return text


def _word_or_space(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] in "LNM":
        return character
    return "" if category == "Cf" else " "  # a soft hyphen or a joiner is inside its word


_FOLDING = _Folding()
_ASCII_FOLDING = "".join(_FOLDING[point] for point in range(128)).encode().ljust(256)
"""The same for plain letters, which most texts are made of: one byte becomes one byte."""


def tokens(text: str) -> list[str]:
    """Return the tokens of a document, in order.

    Cost: linear in the text.

    >>> tokens("Is_class_of: Caf\u00e9-CR\u00c8ME 2")
    ['is', 'class', 'of', 'cafe', 'creme', '2']
    >>> tokens("\u5317\u4eac\u5e02 GDP")
    ['\u5317\u4eac', '\u4eac\u5e02', '\u5e02', 'gdp']
    """
    if text.isascii():
        words = text.encode().translate(_ASCII_FOLDING).decode().split()
        if len(text) <= LONGEST or max(map(len, words), default=0) <= LONGEST:
            return words
        return [word[:LONGEST] for word in words]
    found: list[str] = []
    for run, is_unspaced in _runs(text):
        if is_unspaced:
            found += [run[at : at + 2] for at in range(len(run))]
        else:
            found.append(run[:LONGEST])
    return found


def terms(text: str) -> list[Term]:
    """Return what a query looks for: distinct terms, in the order they first appear.

    Nothing in the text is an operator. A run of one character of a script without spaces is
    a prefix; a longer run is its pairs.

    >>> [one.text for one in terms('"aspirin" OR NOT aspirin*')]
    ['aspirin', 'or', 'not']
    >>> terms("\u4eac")
    [Term(text='\u4eac', is_prefix=True)]
    """
    found: dict[Term, None] = {}
    for run, is_unspaced in _runs(text):
        if not is_unspaced:
            found[Term(run[:LONGEST])] = None
        elif len(run) == 1:
            found[Term(run, is_prefix=True)] = None
        else:
            found.update((Term(run[at : at + 2]), None) for at in range(len(run) - 1))
    return list(found)


def folded(text: str) -> str:
    """Return a text as search compares it: folded words, one space between them.

    >>> folded("  \u00c9CLAIR, au chocolat ")
    'eclair au chocolat'
    """
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return unicodedata.normalize("NFKC", without_long_runs(text)).translate(_FOLDING).split()


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    for word in _words(text):
        if word.isascii():
            yield word, False
            continue
        end = 0
        for run in _UNSPACED.finditer(word):
            if run.start() > end:
                yield word[end : run.start()], False
            yield run.group(), True
            end = run.end()
        if end < len(word):
            yield word[end:], False


_WORDS = """
    a about am an and any are aren as at be been being but by can could couldn d did didn do
    does doesn doing don for from had hadn has hasn have haven having he her hers him his how i
    if in into is isn it its ll m me my of on or our ours please re s shall she should shouldn
    so such t tell than that the their theirs them then there these they this those to us ve
    was wasn we were weren what when where which who whom whose why will with won would wouldn
    you your yours
"""

STOP_WORDS = frozenset(_WORDS.split())


ALIASES = "aliases"
"""The attribute that lists what else a concept is called: always searched."""


def concept_text(
    name: str, given_id: str | None, attributes: Attributes, metadata: Attributes
) -> str:
    r"""Return a concept's document: name, id if it was given, then what was said of it.

    >>> concept_text("Aspirin", None, {"forms": ["tablet", 2]}, {"source": "FDA"})
    'Aspirin\ntablet\nFDA'
    """
    if metadata.get(SEARCH_ATTRIBUTES) is False:
        return ""
    found = [] if metadata.get(SEARCH_NAME) is False else [name]
    if given_id is not None and not _lists(metadata):
        found.append(given_id)
    _add_strings(_searched(attributes, metadata), found)
    return "\n".join(found)


def link_text(predicate: str, attributes: Attributes, metadata: Attributes) -> str:
    r"""Return a link's document: predicate, attributes, metadata.

    >>> link_text("treats", {"note": "fever"}, {})
    'treats\nfever'
    """
    found = [predicate]
    _add_strings(_searched(attributes, metadata), found)
    return "\n".join(found)


def _lists(metadata: Attributes) -> bool:
    """Whether an element lists the attributes that are searched."""
    return isinstance(metadata.get(SEARCH_ATTRIBUTES), list)


def _searched(attributes: Attributes, metadata: Attributes) -> list[Value]:
    """Return the attributes that an element lists, else all that people wrote of it."""
    if not metadata:
        return [*attributes.values()]
    listed = metadata.get(SEARCH_ATTRIBUTES)
    if listed == []:  # as links have it that say nothing in words
        return [attributes.get(ALIASES)]
    if isinstance(listed, list):
        keys = dict.fromkeys([*(key for key in listed if isinstance(key, str)), ALIASES])
        return [attributes.get(key) for key in keys]
    told = [value for key, value in metadata.items() if key[0] != "_"]  # not by the memory itself
    return [*attributes.values(), *told]


def _add_strings(values: Iterable[Value], found: list[str]) -> None:
    for value in values:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, (dict, list)):
            _add_strings(value.values() if isinstance(value, dict) else value, found)


LONGEST_CALL: Final = 80  # characters

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SAYING: Final = ("name", "label", "title", "text", "body", "content")


def is_wordless(name: str) -> bool:
    """Whether a name is a UUID, which tells a person nothing."""
    return _UUID.fullmatch(name) is not None


def called(name: str, attributes: Attributes, metadata: Attributes) -> str:
    """Return what a concept is called where people read.

    >>> called("5f0c7f2a-0000-4000-8000-000000000001", {"text": "payments uses sagas"}, {})
    'payments uses sagas'
    >>> called("Aspirin", {"text": "a drug"}, {})
    'Aspirin'
    """
    if not is_wordless(name):
        return name
    searched = metadata.get(SEARCH_ATTRIBUTES)
    keys = [str(one) for one in searched] if isinstance(searched, list) else []
    words = next(filter(None, (_one_line(attributes.get(one)) for one in (*keys, *_SAYING))), "")
    if not words and keys:  # it has words, and none in what is searched: such as the id of a tool
        words = " ".join(filter(None, map(_one_line, attributes.values())))
    if len(words) > LONGEST_CALL:
        words = words[: LONGEST_CALL - 1].rstrip() + "…"
    return words or name


def _one_line(value: object) -> str:
    """Return a text on one line; nothing for a UUID and for what is no text."""
    return " ".join(value.split()) if isinstance(value, str) and not is_wordless(value) else ""


def storable(text: str) -> str:
    """Return a text without NUL, lone surrogates and long runs of marks, which no name holds."""
    return without_long_runs(text.encode("utf-8", "replace").decode().replace("\0", "?"))


Counts = Counter[tuple[str, int]]
"""Differences by kind of tally and part."""


class _Part:
    """What one flush does to a partition: the texts that come and those that go, by document.

    Their words are made as they are asked for, and counted: those of all texts take much memory.
    """

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self.come: dict[int, str] = {}
        self.gone: dict[int, str] = {}
        self._words = 0

    def coming(self) -> IndexedDocuments:
        """Return the documents that come."""
        return IndexedDocuments(self.partition, self._documents(self.come, 1))

    def going(self) -> IndexedDocuments:
        """Return the documents that go."""
        return IndexedDocuments(self.partition, self._documents(self.gone, -1))

    def _documents(self, texts: Mapping[int, str], sign: int) -> Iterator[tuple[int, list[str]]]:
        said, words = "", list[str]()
        for document, own in texts.items():
            if own != said:  # many links have no words of their own, and say the same
                said, words = own, tokens(own)
            self._words += sign * len(words)
            yield document, words

    def count(self, counts: Counts) -> None:
        """Add how many documents and words the partition has more, now that they were read."""
        part = self.partition.part
        counts[TALLY_DOCUMENTS, part] += len(self.come) - len(self.gone)
        counts[TALLY_TOKENS, part] += self._words


class _Parts(dict[tuple[int, bool], _Part]):
    """What one flush does to each of a group's partitions, by kind and whether it is living."""

    def __init__(self, group_id: int) -> None:
        super().__init__()
        self._group_id = group_id

    def __missing__(self, key: tuple[int, bool]) -> _Part:
        """Begin a partition that is met for the first time."""
        self[key] = part = _Part(partition_of(self._group_id, *key))
        return part


class TextIndex:
    """Collects what one write transaction does to a group's documents, and writes it at once.

    One per write session and group. Of an element one thing is told before a flush, beside its
    superseded texts. Cost: a few statements per `flush`, whatever their number.
    """

    def __init__(self, session: Session, group_id: int) -> None:
        self._session = session
        self._group_id = group_id
        self._past: dict[tuple[int, int], str] = {}  # by element and until
        self._parts = _Parts(group_id)

    def put(self, element: int, is_living: bool, text: str, before: str | None = None) -> None:
        """Set an element's document; `text` is from `document.py`.

        `before` is what it is while the element is living, None where it has none.
        `is_living=False` closes it: pass the text again.
        """
        self._parts[element & 1, is_living].come[element] = text
        if before is not None:
            self.take_back(element, before)

    def take_back(self, element: int, text: str) -> None:
        """Take out the document of a living element, which is this text."""
        self._parts[element & 1, True].gone[element] = text

    def supersede(self, element: int, until: int, text: str) -> None:
        """Keep the text an element had until a transaction, beside its current document.

        Of several calls for one element and transaction the first counts: what stood there
        before the transaction. It moves nothing: `put` the new text as well. A text that did
        not change needs no call: the next one stands for the time before it too.
        """
        self._past.setdefault((element, until), text)

    def flush(self) -> None:
        """Write everything collected; the index and its counts agree afterwards."""
        add_counts(self._session, self._group_id, self.write())

    def write(self) -> Mapping[tuple[str, int], int]:
        """Write everything collected but for its counts, and return those, to be added."""
        if not (self._parts or self._past):
            return {}
        self._put_past()
        parts, counts = list(self._parts.values()), Counts()
        self._session.texts.change(
            [one.going() for one in parts if one.gone], [one.coming() for one in parts if one.come]
        )
        for part in parts:
            part.count(counts)
        self._parts.clear()
        return counts

    def _put_past(self) -> None:
        """Number the superseded texts, and let their documents come."""
        if not self._past:
            return
        group = {"group": self._group_id}
        last = whole(self._session.rows(LAST_PAST, group)[0][0])
        rows = []
        for number, ((element, until), own) in enumerate(self._past.items(), last + 1):
            rows.append({**group, "number": number, "element": element, "until": until})
            self._parts[element & 1, False].come[-number] = own
        self._session.execute_many(PUT_PAST, rows)
        self._past = {}


def erase_texts(session: Session, group_id: int, elements: Mapping[int, bool]) -> None:
    """Erase the documents of elements and all their past ones, as a purge does.

    Whether an element was living before the transaction is told with it. One without a document
    is no error. Cost: the group's index.
    """
    wanted = orjson.dumps(list(elements)).decode()
    rows = session.rows(PAST_DOCUMENTS, {"group": group_id, "elements": wanted})
    past = {-whole(number): whole(element) for number, element in rows}
    texts, counts = session.texts, Counts()
    for document, length in texts.lengths(group_id, [*elements, *past]).items():
        element = past.get(document, document)
        is_living = document not in past and elements[element]
        part = partition_of(group_id, element, is_living).part
        counts[TALLY_DOCUMENTS, part] -= 1
        counts[TALLY_TOKENS, part] -= length
    texts.erase(group_id, [*elements, *past])
    session.execute_many(REMOVE_PAST, [{"group": group_id, "number": -one} for one in past])
    add_counts(session, group_id, counts)


def forget_texts(session: Session, group_id: int) -> None:
    """Take out every document of a group, with their counts; its elements are still there."""
    session.texts.forget(group_id)
    session.execute_many(FORGET_PAST, [{"group": group_id}])
    counts = {"documents": TALLY_DOCUMENTS, "tokens": TALLY_TOKENS}
    session.execute_many(FORGET_COUNTS, [{"group": group_id, **counts}])


_AT_ONCE = 1_000  # elements read and written together


def rebuild(session: Session, group_id: int, progress: Progress = silent) -> int:
    """Write every document of a group anew and return how many elements have one.

    Runs in a write transaction. Cost: every element of the group, and of its past.
    """
    total = whole(session.rows(ELEMENTS, {"group": group_id})[0][0])
    progress("texts", 0, total)
    forget_texts(session, group_id)
    index = TextIndex(session, group_id)
    asked: dict[str, SqlValue] = {"group": group_id, "after": -1, "most": _AT_ONCE}
    count = 0
    while rows := session.rows(SAID, asked):
        last = whole(rows[-1][0])
        past = {"group": group_id, "after": asked["after"], "last": last}
        _put(index, rows, session.rows(SAID_BEFORE, past))
        asked["after"] = last
        count += len(rows)
        progress("texts", count, total)
    return count


@dataclass(frozen=True, slots=True)
class _Identity:
    """The part of a document that never changes: a name and given id, or a predicate."""

    element: int
    name: str
    given_id: str | None

    def document(self, attributes: SqlValue, metadata: SqlValue) -> str:
        """Return the document of one content."""
        said, noted = members(attributes), members(metadata)
        if self.element & LINK_BIT == CONCEPT_BIT:
            return concept_text(self.name, self.given_id, said, noted)
        return link_text(self.name, said, noted)


def _put(index: TextIndex, rows: Sequence[SqlRow], past: Sequence[SqlRow]) -> None:
    """Put the documents of some elements, and those of what they said before."""
    identities: dict[int, _Identity] = {}
    following: dict[int, str] = {}  # the document after the one looked at, by element
    for element, expired_at, name, given, attributes, metadata in rows:
        identity = _Identity(whole(element), text(name), None if given is None else text(given))
        identities[whole(element)] = identity
        following[whole(element)] = identity.document(attributes, metadata)
        index.put(whole(element), expired_at == LIVING, following[whole(element)])
    for element, until, attributes, metadata in past:  # latest first
        if whole(element) not in identities:  # its row was deleted behind the memory's back
            continue
        document = identities[whole(element)].document(attributes, metadata)
        if document != following[whole(element)]:
            index.supersede(whole(element), whole(until), document)
        following[whole(element)] = document
    index.flush()
