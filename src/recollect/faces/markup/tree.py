"""What stands where, read as a tree of entries: each knows its text and is read when needed.

The rule: the details of a node, and what stands below it in a space, are shown once; a further
appearance is a bare reference, which also cuts cycles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from recollect.faces.markup.graph import (
    CONTENT,
    DETAILS,
    FIELD_VALUE,
    KIND,
    LABEL,
    NODE_TYPES,
    READ_ONLY,
    SPACE,
    USES_FUNCTION,
    USES_TEMPLATE,
    WORDS,
    Graph,
    Place,
    is_protected,
    label_of,
    order_of,
    text_of,
)
from recollect.faces.markup.model import CONTENT as FIELD_CONTENT, KNOWN_FIELDS, Id, sign_of
from recollect.faces.markup.parser import KEY
from recollect.faces.markup.printer import header_line, id_text
from recollect.faces.markup.text import MOST_KEY, value_text
from recollect.model import Attributes, Concept, Joint
from recollect.node import dataclass, field

_PAGE: Final = 64
"""Entries that are read together, of a view that may not show all."""


@dataclass(slots=True)
class Entry:
    """A node, a space or a value at one place of the tree."""

    id: str
    concept: Concept | None  # None: the top, which is no element
    space: str  # whose places are followed below it; no text for the top
    level: int  # of indentation
    above: Entry | None
    is_bare: bool = False  # shown elsewhere: a reference
    is_deleted: bool = False
    value: str | None = None  # of an article: the entry is a reference to its field
    head: str | None = None  # its lines without Content, once they are made
    content: str = ""  # as it is stored
    below: list[Entry] | None = None  # that were read; None: none were yet
    total: int | None = None  # how many stand below; None: it is not known yet
    at: int = 0  # which of those below it is
    ahead: dict[str, Entry] = field(default_factory=dict)  # those below that were met out of turn

    def content_part(self, lines: int | None = None) -> str:
        """Return the lines of its Content, or of the beginning of it."""
        if not self.content:
            return ""
        text = self.content
        if lines is not None:
            text = "\n".join(text.split("\n")[:lines])
        margin = 2 * self.level + 2
        return f"{' ' * margin}{FIELD_CONTENT}:{value_text(text, margin)}\n"


@dataclass(slots=True)
class Tree:
    """Reads entries of one moment."""

    graph: Graph
    show_deleted: bool = False
    branch: str | None = None  # the id of the root, where a branch is shown
    _shown: set[str] = field(default_factory=set)  # ids whose details have an entry
    _opened: set[tuple[str, str]] = field(default_factory=set)  # spaces and ids, shown
    _raw: dict[tuple[str, str], list[tuple[Concept, bool]]] = field(default_factory=dict)
    _counts: dict[tuple[str, str], int | None] = field(default_factory=dict)
    _details: dict[str, list[Joint]] = field(default_factory=dict)

    def entry(
        self,
        concept: Concept,
        space: str,
        level: int,
        above: Entry | None,
        *,
        deleted: bool = False,
    ) -> Entry:
        """Return the entry of a concept at a place."""
        found = Entry(concept.id, concept, space, level, above, is_deleted=deleted)
        is_reference = concept.type == SPACE and space != concept.id
        found.is_bare = is_reference or concept.id in self._shown
        if not deleted and not is_reference:
            self._shown.add(concept.id)
        content = None if found.is_bare else concept.attributes.get(CONTENT)
        found.content = "" if content is None else text_of(content)
        return found

    def head(self, entry: Entry) -> str:
        """Return the lines of an entry without its Content; they are made once."""
        if entry.head is None:
            entry.head = self._written(entry)
            if entry.level == 0 and not entry.head.startswith("---"):
                entry.head = f"---\n{entry.head}"
        return entry.head

    def _written(self, entry: Entry) -> str:
        concept = entry.concept
        if concept is None:
            return ""
        if entry.value is not None:
            return _head(None, concept.id, None, [("Value", entry.value)], entry.level)
        if concept.type == SPACE and entry.space == concept.id:
            return _space_head(concept)
        word = "SPACE" if concept.type == SPACE else WORDS.get(concept.type)
        if word is None and concept.id == self.branch:
            word = "BRANCH"
        if entry.is_bare:
            gone = "deleted" if entry.is_deleted else None
            return _head(word, concept.id, gone, (), entry.level)
        state = "deleted" if entry.is_deleted else "read-only" if is_protected(concept) else None
        return _head(word, concept.id, state, self._fields(concept), entry.level)

    def read(self, parents: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Read what stands below nodes of spaces; return those that were read for the first time.

        Parents and what is returned are pairs of a space and an id. Cost: a few statements for
        each space, whatever the number of nodes.
        """
        by_space = defaultdict[str, list[str]](list)
        for space, id in parents:
            if (space, id) not in self._raw:
                self._raw[space, id] = []
                by_space[space].append(id)
        found: list[tuple[str, str]] = []
        for space, ids in by_space.items():
            below = self.graph.children(ids, space, closed=self.show_deleted)
            for parent, children in below.items():
                each = _each_once(children)
                self._raw[space, space if parent is None else parent] = each
                self.graph.fetch(one.id for one, gone in each if gone)
                found += [
                    (space, one.id)
                    for one, gone in each
                    if one.type != SPACE and not (gone and one.id in self.graph.elements)
                ]
        self.expect_details([id for _, id in found])
        return found

    def open(self, entry: Entry) -> list[Entry]:
        """Return the entries below one; what stands below a node was read."""
        if entry.total is None:
            self._begin(entry)
            if entry.total is None:
                self._add(entry, self._raw.get((entry.space, entry.id), ()))
                entry.total = len(entry.below or ())
        return entry.below or []

    def place(self, top: Entry, found: Sequence[tuple[Concept, str]]) -> None:
        """Put spaces, or the root of a branch with its space, below the top."""
        top.below = [self.entry(one, space, 0, top) for one, space in found]
        top.total = len(top.below)
        for at, one in enumerate(top.below):
            one.at = at

    def _begin(self, entry: Entry) -> None:
        """Begin with the values of an article; below what is shown already stands nothing."""
        entry.below = []
        is_alive = entry.is_deleted and entry.id in self.graph.elements  # it stands elsewhere
        is_reference = is_alive or entry.value is not None
        if is_reference or (entry.space, entry.id) in self._opened:
            entry.total = 0
            return
        self._opened.add((entry.space, entry.id))
        entry.below += self._values(entry)

    def _add(self, entry: Entry, found: Iterable[tuple[Concept, bool]]) -> None:
        """Add entries below one."""
        below = entry.below
        assert below is not None
        for concept, gone in found:
            one = entry.ahead.pop(concept.id, None)
            if one is None:
                one = self.entry(concept, entry.space, entry.level + 1, entry, deleted=gone)
            one.at = len(below)
            below.append(one)

    def expect(self, entry: Entry) -> None:
        """Make known how many stand below an entry; with it those after it are counted."""
        if entry.total is not None:
            return
        key = entry.space, entry.id
        if key not in self._raw and key not in self._counts:
            self._count([entry, *_after(entry, _PAGE)])
        count = self._counts.get(key)
        if count is None:
            self.open(entry)
            return
        self._begin(entry)
        if entry.total is None:
            entry.total = len(entry.below or ()) + count

    def _count(self, entries: Sequence[Entry]) -> None:
        by_space = defaultdict[str, list[str]](list)
        for one in entries:
            if one.value is None:
                by_space[one.space].append(one.id)
        for space, ids in by_space.items():
            found = {} if self.show_deleted else self.graph.counted(ids, space)
            whole = [one for one in ids if found.get(one) is None]
            self._counts.update(((space, one), found.get(one)) for one in ids)
            self.read([(space, one) for one in whole])

    def grow(self, entry: Entry) -> bool:
        """Read more of what stands below an entry that was counted; whether there was more."""
        below = entry.below or []
        values = sum(one.value is not None for one in below)
        if entry.total is None or len(below) >= entry.total:
            return False
        if entry.total <= _PAGE and (entry.space, entry.id) not in self._raw:
            self._read_alike(entry)
        raw = self._raw.get((entry.space, entry.id))
        if raw is None:
            page = self.graph.line(entry.id, entry.space, len(below) - values, _PAGE)
            self.expect_details([one.id for one in page if one.type != SPACE])
            self._add(entry, [(one, False) for one in page])
            return bool(page)
        self._add(entry, raw)
        entry.total = len(entry.below or ())
        return bool(raw)

    def _read_alike(self, entry: Entry) -> None:
        """Read what stands below an entry, and below those after it that have few."""
        wanted, left = [(entry.space, entry.id)], _PAGE - (entry.total or 0)
        for one in _after(entry, _PAGE):
            count = self._counts.get((one.space, one.id)) or 0
            if count > left:
                break
            if count:
                wanted.append((one.space, one.id))
                left -= count
        self.read(wanted)

    def below_at(self, entry: Entry, id: str) -> Entry | None:
        """Return one of those below an entry, whether its turn has come or not."""
        self.expect(entry)
        while (entry.total or 0) <= _PAGE and self.grow(entry):
            pass
        below = (one for one in entry.below or () if one.id == id and one.value is None)
        found = next(below, None)
        if found is None and self._counts.get((entry.space, entry.id)) is not None:
            self.expect_details([id])
            found = self.entry(self.graph.held(id), entry.space, entry.level + 1, entry)
            entry.ahead[id] = found
        return found

    def expect_details(self, ids: Sequence[str]) -> None:
        """Read what nodes use, and the values of articles, in one statement."""
        wanted = [one for one in dict.fromkeys(ids) if one not in self._details]
        if not wanted:
            return
        self._details.update((one, []) for one in wanted)
        joints = self.graph.nexus.joints.at(wanted, "subject", DETAILS, as_of=self.graph.as_of)
        for joint in joints:
            self._details[joint.link.subject].append(joint)

    def _values(self, entry: Entry) -> list[Entry]:
        """Return the values of an article as entries, in the order they were given."""
        if entry.is_bare or entry.id == entry.space:
            return []
        found: list[Entry] = []
        for joint in self._details.get(entry.id, ()):
            if joint.link.predicate == FIELD_VALUE and joint.far is not None:
                one = Entry(joint.far.id, joint.far, entry.space, entry.level + 1, entry)
                one.value = text_of(joint.link.attributes.get("value"))
                one.below, one.total = [], 0
                found.append(one)
        return found

    def _fields(self, concept: Concept) -> list[tuple[str, str]]:
        """Return the fields of a node but its Content, in the order they are printed."""
        fields: list[tuple[str, str]] = []
        label = label_of(concept)
        if label is not None:
            fields.append(("Label", label))
        uses = self._details.get(concept.id, ())
        for key, predicate in (("Use template", USES_TEMPLATE), ("Use function", USES_FUNCTION)):
            used = [one.link for one in uses if one.link.predicate == predicate]
            used.sort(key=lambda one: order_of(one.attributes))
            if used:
                fields.append((key, ", ".join(one.object for one in used)))
        if concept.type in NODE_TYPES:
            fields += _others(concept.attributes)
        return fields


def _after(entry: Entry, most: int) -> list[Entry]:
    """Return the entries beside one that come after it, at most so many."""
    beside = [] if entry.above is None else entry.above.below or []
    return beside[entry.at + 1 : entry.at + 1 + most]


def _each_once(children: Sequence[tuple[Place, Concept]]) -> list[tuple[Concept, bool]]:
    """Return children with whether they are deleted; of one that stands again, the living one."""
    found: dict[str, tuple[Concept, bool]] = {}
    for place, concept in children:
        gone = not place.is_living
        if concept.id not in found or (found[concept.id][1] and not gone):
            found[concept.id] = concept, gone
    return list(found.values())


def _others(attributes: Attributes) -> list[tuple[str, str]]:
    """Return the attributes that are fields of their own names."""
    skipped = (LABEL, CONTENT, READ_ONLY, KIND)
    return [
        (key, text_of(value))
        for key, value in attributes.items()
        if key not in skipped and is_field_key(key) and not isinstance(value, list | dict)
    ]


def is_field_key(key: str) -> bool:
    """Whether an attribute can be written as a field.

    >>> is_field_key("Due date"), is_field_key("value"), is_field_key("_merged")
    (True, False, False)
    """
    if not KEY.fullmatch(key) or len(key) > MOST_KEY or key != key.rstrip():
        return False
    return " ".join(key.split()).lower() not in _NO_OTHERS


_NO_OTHERS = frozenset(one.lower() for one in (*KNOWN_FIELDS, "ID"))


def _head(
    word: str | None, id: str, state: str | None, fields: Sequence[tuple[str, str]], level: int
) -> str:
    return header_line(word, Id(id), state, 2 * level) + _field_lines(fields, 2 * level + 2)


def _field_lines(fields: Sequence[tuple[str, str]], margin: int) -> str:
    blanks = " " * margin
    return "".join(f"{blanks}{key}:{value_text(value, margin)}\n" for key, value in fields)


def _space_head(concept: Concept) -> str:
    mark = sign_of("read-only" if is_protected(concept) else None)
    kind = text_of(concept.attributes.get(KIND))
    said = [("Label", label_of(concept) or ""), *_others(concept.attributes)]
    return f"---\n- {kind}\n  ID: {id_text(Id(concept.id))}{mark}\n{_field_lines(said, 2)}"
