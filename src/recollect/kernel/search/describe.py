"""DESCRIBE: what is in the memory, by name and count, for a reader who has not seen it.

The rule: every count is of one group, and of what is alive now; a list counts what was held at the
moment asked about, and its later pages keep to the moment of the first. A page begins after the
last row of the one before, so that a row which stays is shown once. What a definition says is shown
beside the counts. Names and their counts come from `tally`; a portrait of a type or predicate is
drawn from some of its elements, and says so if there are more. KIP 1.0-draft3, section META;
KIP 1.0-RC11, section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar, assert_never

from recollect.errors import INVALID_VALUE, NOT_FOUND, Notice, RecollectError, nearest
from recollect.kernel.lang import ast
from recollect.kernel.lang.words import syntax_card
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.cells import (
    PagePlace,
    page_moment,
    question_of,
    read_cursor,
    write_cursor,
)
from recollect.kernel.read.moment import NOW, Moment
from recollect.kernel.read.reader import Reader
from recollect.kernel.schema.definitions import NOUNS, Definition, definition
from recollect.kernel.search.domains import Domain, domains, key_parts
from recollect.kernel.search.known_terms import InventoryEntry, inventory, living_count, term_code
from recollect.kernel.search.modes import modes_with
from recollect.kernel.search.primer import (
    BLANK_PREDICATE,
    BLANK_TYPE,
    portrait_of_predicate,
    portrait_of_type,
    primer,
)
from recollect.kernel.store.cells import canonical_name
from recollect.kernel.store.group import Group, last_transaction
from recollect.kernel.store.port import Session
from recollect.model import Description, ElementKind, Value
from recollect.node import dataclass

ItemT = TypeVar("ItemT")

MOST_LISTED = 1_000
"""Names on one page."""


@dataclass(frozen=True, slots=True)
class PageItems(Generic[ItemT]):
    """The items of one page, and where the next one begins if there are more."""

    items: list[ItemT]
    omitted: int  # items after those of the page
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is asked for, and as of when."""

    moment: Moment
    _pinned: int
    _limit: int
    _question: str
    _position: int  # items before the page
    _after: tuple[int, str] | None  # the last of them; None: count to the position

    def page(
        self, items: Sequence[ItemT], key: Callable[[ItemT], tuple[int, str]]
    ) -> PageItems[ItemT]:
        """Return the part of a list, ordered by a count that falls and a name that rises."""
        left = self._left(items, key)
        shown = left[: self._limit]
        omitted = len(left) - len(shown)
        if not omitted or not shown:
            return PageItems(shown, omitted, None)
        position = self._position + len(shown)
        is_past = self.moment.known is not None
        place = PagePlace(
            self._pinned, self.moment.valid, position, key(shown[-1]), is_past=is_past
        )
        return PageItems(shown, omitted, write_cursor(self._question, place))

    def _left(self, items: Sequence[ItemT], key: Callable[[ItemT], tuple[int, str]]) -> list[ItemT]:
        if self._after is None:
            return list(items[self._position :])
        count, name = self._after
        return [one for one in items if (-key(one)[0], key(one)[1]) > (-count, name)]


def window_of(
    session: Session,
    group: Group,
    bindings: Bindings,
    node: ast.DescribeDomains | ast.DescribeConceptTypes | ast.DescribePropositionTypes,
    asked: Moment,
) -> Window:
    """Return the part of a list that a DESCRIBE asks for; KIP_1001 for a cursor of another."""
    limit = MOST_LISTED if node.limit is None else bindings.whole(node.limit, "LIMIT")
    question = question_of(group, type(node).__name__)
    last = last_transaction(session, group.group_id)
    moment, pinned = asked, last if asked.known is None else asked.known
    position, after = 0, None
    if node.cursor is not None:
        cursor = read_cursor(bindings.page(node.cursor), node.cursor.span)
        place = cursor.place(question)
        moment, pinned = page_moment(session, group, asked, cursor), place.known
        position = place.position
        match place.after:
            case (int() as count, str() as name):
                after = (count, name)
    return Window(moment, pinned, min(limit, MOST_LISTED), question, position, after)


_OF_NOW = Notice(
    "as_of_ignored",
    "this DESCRIBE answers about now and ignores as_of",
    hint="ask a list of types, predicates or domains, FIND or SEARCH about another time",
)
_OF_ANY_TIME = Notice(
    "as_of_ignored",
    "DESCRIBE counts what is held, whatever time it is true of, and ignores as_of.valid",
    hint="count with FIND what was true then",
)


def _unheeded(node: ast.Describe, moment: Moment) -> list[Notice]:
    """Return what to know of a DESCRIBE that is asked about another time than it answers of."""
    match node:
        case ast.DescribeDomains() | ast.DescribeConceptTypes() | ast.DescribePropositionTypes():
            return [] if moment.valid is None else [_OF_ANY_TIME]
        case _:
            return [] if moment is NOW else [_OF_NOW]


def describe(reader: Reader, bindings: Bindings, node: ast.Describe) -> Description:
    """Answer one DESCRIBE, and note where it answers of another time than was asked about.

    A list is `{"items": [{"name", "count", ...}], "omitted"?, "next_cursor"?}`, most used first,
    ties by name; one type, one predicate and PRIMER are objects. A name that is neither declared
    nor borne by anything alive is KIP_3002 with the nearest that are. PRIMER tells
    what is true now; inside a write, at the last one before.
    """
    session, group, moment = reader.session, reader.group, reader.moment
    reader.notices += _unheeded(node, moment)
    match node:
        case ast.DescribePrimer():
            now = None if reader.clock is None else reader.clock()
            modes = modes_with(reader.meanings)
            return Description(primer(session, group, syntax_card(), modes, now))
        case ast.DescribeDomains():
            return _domains(session, group, window_of(session, group, bindings, node, moment))
        case ast.DescribeConceptTypes():
            window = window_of(session, group, bindings, node, moment)
            return _names(session, group, ElementKind.CONCEPT, window)
        case ast.DescribePropositionTypes():
            window = window_of(session, group, bindings, node, moment)
            return _names(session, group, ElementKind.LINK, window)
        case ast.DescribeConceptType(type=wanted):
            return _one(session, group, ElementKind.CONCEPT, _text(wanted, bindings), wanted)
        case ast.DescribePropositionType(predicate=wanted):
            return _one(session, group, ElementKind.LINK, _text(wanted, bindings), wanted)
        case _:
            assert_never(node)


def _names(session: Session, group: Group, kind: ElementKind, window: Window) -> Description:
    entries = inventory(session, group, kind, window.moment)
    page = window.page(entries, lambda one: (one.count, one.name))
    return replace(_list(page, [_entry(one) for one in page.items]), is_of_names=True)


def _entry(entry: InventoryEntry) -> Value:
    described = {} if entry.description is None else {"description": entry.description}
    return {"name": entry.name, "count": entry.count, **described}


def _domains(session: Session, group: Group, window: Window) -> Description:
    found = domains(session, group.group_id, window.moment)
    page = window.page(found, lambda one: (one.count, one.name))
    own = [one for one in page.items if one.kind == "domain"]
    keys = {
        one.domain.key: list[Value](one.key_concepts)
        for one in key_parts(session, group.group_id, own)
    }
    return _list(page, [_domain(one, keys.get(one.key)) for one in page.items])


def _domain(domain: Domain, key_concepts: list[Value] | None) -> Value:
    item: dict[str, Value] = {"name": domain.name, "count": domain.count, "kind": domain.kind}
    if domain.description is not None:
        item["description"] = domain.description
    if key_concepts is not None:
        item["key_concepts"] = key_concepts
    return item


def _list(page: PageItems[InventoryEntry] | PageItems[Domain], items: list[Value]) -> Description:
    body: dict[str, Value] = {"items": items}
    if page.omitted:
        body["omitted"] = page.omitted
    if page.next_cursor is not None:
        body["next_cursor"] = page.next_cursor
    return Description(body)


def _one(
    session: Session, group: Group, kind: ElementKind, name: str, wanted: ast.Text
) -> Description:
    code = term_code(session, group.group_id, kind, name)
    count = 0 if code is None else living_count(session, group.group_id, kind, code)
    declared = definition(session, group, kind, name)
    if not count and declared is None:
        raise _unknown(session, group, kind, name, wanted)
    body: dict[str, Value] = {"name": name, "count": count, **_defined(declared)}
    if code is None:
        blank = BLANK_TYPE if kind is ElementKind.CONCEPT else BLANK_PREDICATE
        return Description({**body, **blank})
    portrait = portrait_of_type if kind is ElementKind.CONCEPT else portrait_of_predicate
    return Description({**body, **portrait(session, group.group_id, code, count)})


def _defined(declared: Definition | None) -> dict[str, Value]:
    return {} if declared is None else {"definition": declared.to_object()}


def _unknown(
    session: Session, group: Group, kind: ElementKind, name: str, wanted: ast.Text
) -> RecollectError:
    near = nearest(name, (one.name for one in inventory(session, group, kind)))
    lists = "CONCEPT TYPES" if kind is ElementKind.CONCEPT else "PROPOSITION TYPES"
    return NOT_FOUND.error(
        f'no {NOUNS[kind]} "{name}" is in the memory',
        f'use "{near[0]}"' if near else f"DESCRIBE {lists}",
        span=wanted.span,
        known=near,
    )


def _text(wanted: ast.Text, bindings: Bindings) -> str:
    value = bindings.value(wanted)
    if isinstance(value, str):
        return canonical_name(value, wanted.span)
    raise INVALID_VALUE.error(
        "the name to describe is not a string", "give it as a string", span=wanted.span
    )
