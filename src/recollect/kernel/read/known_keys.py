"""What a group is known to hold: how much in all, names it declares, keys of elements.

The rules: a name that is declared is known, whether anything bears it or not; only names that are
neither declared nor in use are called unknown, and what is offered instead is of both. Of keys, a
query is warned that reads none of them: only an answer that shows nothing of a key is looked into,
and what a look costs does not grow with the memory: it ends after so many elements of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from recollect.errors import Fix, Notice, RecollectError, Span, is_slip, nearest, refused
from recollect.kernel.lang import ast
from recollect.kernel.lang.cursor import literal
from recollect.kernel.lang.tokens import quoted
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.plan.scope import expression_reads
from recollect.kernel.read.history import transactions as transactions_of
from recollect.kernel.store.cells import SqlValue, text, whole
from recollect.kernel.store.group import Group, Terms, last_transaction
from recollect.kernel.store.port import Session, Store
from recollect.kernel.store.sharing import Cache
from recollect.kernel.store.statements.counts import COUNTS, GROWTH
from recollect.kernel.store.statements.elements import DECLARED
from recollect.kernel.store.statements.terms import QUESTIONS, Questions
from recollect.model import (
    LIVING,
    MERGED_FROM,
    MOVED_FROM,
    ElementKind,
    Grown,
    Instant,
    Rows,
    Stats,
)
from recollect.node import dataclass

MOST_MARKS = 1_000
"""Stretches of the log that growth is told in."""


def stats_of(store: Store, session: Session, group: Group, marks: int) -> Stats:
    """Return the counts of a group and the size of the store; with marks, how it grew.

    Cost: a few rows; with marks its whole log, a fifth of a second for a million elements.
    """
    if type(marks) is not int or not 0 <= marks <= MOST_MARKS:  # whatever the caller's types say
        raise refused(f"marks is not a whole number from 0 to {MOST_MARKS:,}", "use marks=24")
    counts = session.rows(COUNTS, {"group": group.group_id})[0]
    concepts, links, types, predicates, documents, transactions, at, groups = map(whole, counts)
    upkeep, path = store.upkeep(session), store.path
    size = upkeep.size(path)
    return Stats(
        path=size.place if path is None else str(path),
        size_bytes=size.file_bytes,
        log_bytes=size.log_bytes,
        free_bytes=size.free_bytes,
        group=group.name,
        groups=groups,
        concepts=concepts,
        links=links,
        types=types,
        predicates=predicates,
        documents=documents,
        transactions=transactions,
        last_at=Instant(at) if transactions else None,
        engine=upkeep.engine,
        relations=size.relations,
        growth=_growth(session, group, marks, transactions) if marks else (),
    )


def _growth(session: Session, group: Group, marks: int, last: int) -> tuple[Grown, ...]:
    """Return what had been made at the end of so many stretches of the log, of equal length."""
    found = session.rows(GROWTH, {"group": group.group_id, "marks": marks, "last": last})
    ends = transactions_of(session, group, [whole(end) for end, _, _ in found])
    grown, concepts, links = [], 0, 0
    for end, more_links, more in found:
        links += whole(more_links)
        concepts += whole(more) - whole(more_links)
        grown.append(Grown(whole(end), ends[whole(end)].at, concepts, links))
    return tuple(grown)


CONCEPT_TYPE = "$ConceptType"
PROPOSITION_TYPE = "$PropositionType"

META_TYPES: Final[Mapping[ElementKind, str]] = {
    ElementKind.CONCEPT: CONCEPT_TYPE,
    ElementKind.LINK: PROPOSITION_TYPE,
}
"""The type of the concepts that define concept types, and of those that define predicates."""

MOST_DECLARED = 1_000
"""Declared names compared with an unknown one."""


def declared_names(
    session: Session, group_id: int, kind: ElementKind, first: str = ""
) -> tuple[str, ...]:
    """Return the names a group declares of types, or of predicates: `first` first, then by name."""
    rows = session.rows(
        DECLARED,
        {
            "group": group_id,
            "meta": META_TYPES[kind],
            "living": LIVING,
            "first": first,
            "limit": MOST_DECLARED,
        },
    )
    return tuple(text(name) for (name,) in rows)


def unknown_name(
    session: Session,
    group: Group,
    kind: ElementKind,
    text: str,
    used: Iterable[str],
    span: Span | None,
) -> Iterator[Notice]:
    """Yield the warning for a type or predicate that nothing has and nobody declared."""
    declared = declared_names(session, group.group_id, kind, text)
    if text in declared[:1]:
        return
    is_predicate = kind is ElementKind.LINK
    what = "predicate" if is_predicate else "concept type"
    near = nearest(text, (*used, *declared), limit=3)
    shown = " or ".join(map(quoted, near[:1] if is_slip(text, near) else near))
    describe = "PROPOSITION" if is_predicate else "CONCEPT"
    yield Notice(
        f"unknown_{'predicate' if is_predicate else 'type'}",
        f"no {what} is named {quoted(text)}",
        hint=f"use {shown}" if near else f"run DESCRIBE {describe} TYPES",
        span=span,
        known=near,
        fix=_replaced(text, near, span),
    )


def _replaced(text: str, near: tuple[str, ...], span: Span | None) -> Fix | None:
    """Return the edit that writes the nearest name for one that stands by itself in its quotes."""
    if span is None or not is_slip(text, near) or span.end - span.start != len(quoted(text)):
        return None
    return Fix(span, quoted(near[0]))


_WORD = re.compile(r"[^\W\d]\w*")
MOST_LISTED = 1_000  # elements whose keys are known by name
MOST_SEARCHED = 10_000  # elements among which a key may be

_FIELDS = {
    ElementKind.CONCEPT: ("id", "type", "name"),
    ElementKind.LINK: ("id", "subject", "predicate", "object"),
}
_CLOCKS = ("_valid_at", "_invalid_at", "_created_at", "_updated_at", "_expired_at", "_version")
_OWN = (*_CLOCKS, MERGED_FROM, MOVED_FROM)


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of one section of one kind: concepts of a type, links of a predicate, or all."""

    kind: ElementKind
    term: str | None
    section: ast.Section

    def own(self) -> tuple[str, ...]:
        """Return the keys that every element of the kind has."""
        return _FIELDS[self.kind] if self.section is ast.Section.ATTRIBUTES else _OWN

    def lacking(self, key: str) -> str:
        """Return the words for that no element has a key."""
        what = "attribute" if self.section is ast.Section.ATTRIBUTES else "metadata key"
        if self.term is None:
            who = "nothing"
        elif self.kind is ElementKind.CONCEPT:
            who = f"no concept of type {quoted(self.term)}"
        else:
            who = f"no link {quoted(self.term)}"
        return f"{who} has the {what} {quoted(key)}"

    def described(self) -> str:
        """Return the text that shows what elements of the kind have."""
        what = "CONCEPT" if self.kind is ElementKind.CONCEPT else "PROPOSITION"
        return f"DESCRIBE {what} " + ("TYPES" if self.term is None else f"TYPE {quoted(self.term)}")


class KnownKeys:
    """The keys of one group's elements; safe to share between threads."""

    def __init__(self, group: Group, terms: Terms) -> None:
        self.group = group
        self.terms = terms
        self.listed: Cache[tuple[_Keys, int], frozenset[str]] = Cache(256)
        self.found: Cache[tuple[_Keys, str, int], bool] = Cache(256)
        self.counted: Cache[tuple[_Keys, int], int] = Cache(256)

    def unknown(
        self, session: Session, find: ast.Find, bindings: Bindings, answer: Rows
    ) -> Iterator[Notice]:
        """Yield a warning for each key a FIND reads, shows no value of, and no element has."""
        doubtful = list(_doubtful(find, answer))
        number = last_transaction(session, self.group.group_id) if doubtful else 0
        if not number:
            return
        look = _KeyLook(self, session, number)
        try:
            for read in doubtful:
                key = _text(read.key, bindings)
                places = dict.fromkeys(_places(find.where, read, bindings))
                where = [one for one in places if look.is_used(one)]
                if key and where and not any(look.has(one, key) for one in where):
                    yield _warning(look, where, key, read)
        except RecollectError as error:
            if error.code.category != "limit":  # the answer is whole without its warnings
                raise


def _questions(keys: _Keys) -> Questions:
    return QUESTIONS[keys.kind, keys.term is not None, keys.section.value]


@dataclass(frozen=True, slots=True)
class _KeyLook:
    """One look at the keys, at one transaction."""

    known: KnownKeys
    session: Session
    number: int

    def names(self, keys: _Keys) -> tuple[str, ...]:
        """Return the keys that are known by name, those of the elements' own last."""

        def read() -> frozenset[str]:
            rows = self.session.rows(_questions(keys).listed, self._asked(keys, MOST_LISTED))
            return frozenset(str(key) for (key,) in rows)

        return (*sorted(self.known.listed.get((keys, self.number), read)), *keys.own())

    def has(self, keys: _Keys, key: str) -> bool:
        """Whether some element has a key."""

        def read() -> bool:
            parameters = {**self._asked(keys, MOST_SEARCHED), "key": key}
            return self.session.row(_questions(keys).searched, parameters) is not None

        return key in self.names(keys) or self.known.found.get((keys, key, self.number), read)

    def is_used(self, keys: _Keys) -> bool:
        """Whether the group has ever used the type or predicate."""
        return keys.term is None or self.known.terms.code(self.session, keys.term) is not None

    def lacking(self, keys: _Keys, key: str) -> str:
        """Return the words for that no element that was looked at has a key."""

        def read() -> int:
            row = self.session.row(_questions(keys).counted, self._asked(keys, MOST_SEARCHED))
            return 0 if row is None else int(str(row[0]))

        is_whole = self.known.counted.get((keys, self.number), read) < MOST_SEARCHED
        return keys.lacking(key) + (
            "" if is_whole else f" among {MOST_SEARCHED} that were looked at"
        )

    def _asked(self, keys: _Keys, most: int) -> dict[str, SqlValue]:
        """Return what a question about the newest elements, `most` of them, is asked with."""
        parameters: dict[str, SqlValue] = {
            "group": self.known.group.group_id,
            "living": LIVING,
            "most": most,
        }
        if keys.term is not None:
            parameters["term"] = self.known.terms.code(self.session, keys.term)
        return parameters


def _warning(look: _KeyLook, where: list[_Keys], key: str, read: _Read) -> Notice:
    names = dict.fromkeys(name for one in where for name in look.names(one))
    near = nearest(key, names, limit=3)
    is_attribute = read.section is ast.Section.ATTRIBUTES
    section = ast.Section.METADATA if is_attribute else ast.Section.ATTRIBUTES
    others = [_Keys(one.kind, one.term, section) for one in where]
    if any(key in look.names(one) for one in others):
        hint = read.elsewhere(section)
    elif near:
        meant = near[:1] if is_slip(key, near) else near
        hint = "use " + " or ".join(read.written(one) for one in meant)
    else:
        hint = f"run {where[0].described()}"
    return Notice(
        "unknown_attribute",
        look.lacking(where[0], key),
        hint,
        read.key.span,
        known=near,
        fix=Fix(read.key.span, read.written(near[0])) if read.is_slip(key, near) else None,
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """One place where a key is read: a clause, or `?x.attributes.key`."""

    section: ast.Section
    target: ast.Target
    key: ast.Text
    value: str  # the name of the variable, or of the field
    is_field: bool = False

    @classmethod
    def of_clause(cls, clause: ast.ReadClause) -> _Read:
        """Return what ATTR or META reads."""
        return cls(clause.section, clause.target, clause.key, clause.value.name)

    @classmethod
    def of_field(cls, field: ast.Field) -> _Read | None:
        """Return what a field reads; None for a whole section, or a field all elements have."""
        if len(field.path) == 1:
            return None
        section, key = field.path
        end = field.span.end
        span = Span(max(field.span.start, end - len(key)), end)
        text = literal(key, span)
        return cls(ast.Section(section), field.variable, text, field.name, is_field=True)

    def written(self, key: str) -> str:
        """Return another key as it is written in this place."""
        return key if self.is_field else quoted(key)

    def elsewhere(self, section: ast.Section) -> str:
        """Return how the key is read from the other section."""
        if self.is_field and isinstance(self.target, ast.Variable):
            return f"use ?{self.target.name}.{section.value}.{self.key_text}"
        return f"read it with {'META' if section is ast.Section.METADATA else 'ATTR'}"

    @property
    def key_text(self) -> str:
        """The key, if the text writes it."""
        return str(self.key.value) if isinstance(self.key, ast.Literal) else ""

    def is_slip(self, key: str, near: tuple[str, ...]) -> bool:
        """Whether the key is written in the text, and one edit makes it the nearest."""
        can_stand = not self.is_field or (bool(near) and _WORD.fullmatch(near[0]) is not None)
        return isinstance(self.key, ast.Literal) and can_stand and is_slip(key, near)


def _doubtful(find: ast.Find, answer: Rows) -> Iterator[_Read]:
    """Yield the places that read a key for which the answer shows no value."""
    shown: set[str] = set()
    for at, column in enumerate(find.columns):
        is_read = isinstance(column, ast.Variable | ast.Field)
        if is_read and any(row[at] is not None for row in answer.rows):
            shown.add(column.name)
    for clause in _flat(find.where):
        if isinstance(clause, ast.ReadClause) and clause.value.name not in shown:
            yield _Read.of_clause(clause)
    for name, one in _fields(find).items():
        read = None if name in shown else _Read.of_field(one)
        if read is not None:
            yield read


def _fields(find: ast.Find) -> dict[str, ast.Field]:
    """Return the fields that a FIND reads, by name, each where it is read first."""
    found: dict[str, ast.Field] = {}
    named = [one.variable if isinstance(one, ast.Aggregate) else one for one in find.columns]
    keys = [one.key for one in find.order_by]
    named += [one.variable if isinstance(one, ast.Aggregate) else one for one in keys]
    for clause in _flat(find.where):
        if isinstance(clause, ast.FilterClause):
            named += expression_reads(clause.expression)
    for one in named:
        if isinstance(one, ast.Field):
            found.setdefault(one.name, one)
    return found


def _flat(clauses: Iterable[ast.Clause]) -> Iterator[ast.Clause]:
    for clause in clauses:
        yield clause
        if isinstance(clause, ast.NotClause | ast.OptionalClause | ast.UnionClause):
            yield from _flat(clause.clauses)


def _places(clauses: Iterable[ast.Clause], read: _Read, bindings: Bindings) -> Iterator[_Keys]:
    """Yield where a clause may find its key; nothing if its target is not an element."""
    target, section = read.target, read.section
    patterns: list[ast.ConceptPattern | ast.LinkPattern | ast.LinkId] = []
    if isinstance(target, ast.Variable):
        for clause in _flat(clauses):
            if not isinstance(clause, ast.ConceptClause | ast.LinkClause):
                continue
            if clause.variable is not None and clause.variable.name == target.name:
                patterns.append(clause.pattern)
    else:
        patterns.append(target)
    terms = [one for pattern in patterns for one in _terms(pattern, bindings)]
    named = [_Keys(kind, term, section) for kind, term in terms if term is not None]
    if named or (patterns and not terms):
        yield from named
        return
    kinds = dict.fromkeys(kind for kind, _ in terms) or tuple(ElementKind)
    yield from (_Keys(kind, None, section) for kind in kinds)


def _terms(
    pattern: ast.ConceptPattern | ast.LinkPattern | ast.LinkId, bindings: Bindings
) -> Iterator[tuple[ElementKind, str | None]]:
    """Yield the kinds of the elements a pattern matches; none for a walk of several links."""
    if isinstance(pattern, ast.ConceptPattern):
        yield ElementKind.CONCEPT, None if pattern.type is None else _text(pattern.type, bindings)
    elif isinstance(pattern, ast.LinkId) or isinstance(pattern.predicate, ast.Variable):
        yield ElementKind.LINK, None
    elif pattern.predicate.is_plain:
        for step in pattern.predicate.steps:
            yield ElementKind.LINK, _text(step.predicate, bindings)


def _text(text: ast.Text, bindings: Bindings) -> str | None:
    value = text.value if isinstance(text, ast.Literal) else bindings.values.get(text.name)
    return value if isinstance(value, str) else None
