"""Concepts of a type by the values of their attributes: the newest, how many, the best for a text.

The rule: what an index is declared for is found through it. Where few concepts have a value they
are gathered and put in order; where many have it, the order's own index is walked until enough
are found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import cast

import orjson

from recollect.errors import NOT_FOUND
from recollect.kernel.read.catalogs import OpenGroup
from recollect.kernel.read.moment import (
    NOW,
    compare,
    hydrate,
    latest_by_id,
    public_ids,
    shown_concept,
)
from recollect.kernel.read.reader import Reader
from recollect.kernel.search.hits import wordy_hits
from recollect.kernel.search.modes import KEYWORD, why_by_words
from recollect.kernel.search.scope import Pick, SearchBounds, Where
from recollect.kernel.search.search import DEFAULT_LIMIT, HitPage, TextQuestion, relevance, search
from recollect.kernel.search.tokens import storable
from recollect.kernel.store.cells import EVERY_GROUP, SqlValue, text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Parameters, Session
from recollect.kernel.store.statements.declared import BUILT, index_name
from recollect.kernel.store.statements.listing import INDEXES, IS_AMONG, IS_LIVING, NAMED, Listing
from recollect.model import LIVING, AsOf, Concept, ElementKind, Ranked
from recollect.node import dataclass, replace

_FEW = 2_000  # concepts that are gathered rather than walked to


@dataclass(frozen=True, slots=True)
class _Fit:
    """What concepts must have: one of several ways to be asked for."""

    conditions: str  # the SQL of all of it
    through: str | None  # the attribute whose index finds few of them
    index: str | None = None  # the one whose index finds the fewest


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question: what the concepts of a type must have, one way or another."""

    session: Session
    parameters: Mapping[str, SqlValue]
    fits: tuple[_Fit, ...]
    indexed: frozenset[str]  # attributes that have an index
    is_among: bool  # whether they are looked for among given ones

    @property
    def listing(self) -> Listing:
        """The statements of the question."""
        return Listing(self.session.dialect, self.is_among)

    def ids(self, fit: _Fit) -> str:
        """Return the SELECT of the ids of all that fit."""
        return self.listing.ids(fit.through, fit.conditions)

    def page(self, fit: _Fit, by: str, beyond: str) -> str:
        """Return the SELECT of the first of them by an attribute, with its value."""
        is_walked = fit.through in (None, by) and by in self.indexed and not self.is_among
        conditions = fit.conditions + beyond
        return self.listing.page(fit.through, conditions, by, is_walked=is_walked)


class Concepts:
    """The concepts of one group, by type and by texts among their attributes."""

    def __init__(self, group: OpenGroup) -> None:
        self._group = group

    def newest(
        self,
        type: str,
        by: str,
        where: Where | None = None,
        limit: int = DEFAULT_LIMIT,
        after: str | None = None,
        *,
        or_where: Sequence[Where] = (),
        among: Collection[str] | None = None,
    ) -> tuple[Concept, ...]:
        """Return living concepts, by the value of an attribute, the highest first.

        They have what `where` says, or what one of `or_where` says; with `among` they are of
        these ids. Ties are in the order of birth, the last first. `after` is the id of the last
        concept of the page before; KIP_3002 when no living concept of the type has it.
        """
        with self._group.reader() as reader:
            session = reader.session
            asked = _asked(reader, type, (where or {}, *or_where), among)
            if asked is None:
                return ()
            parameters, beyond = {**asked.parameters, "limit": limit}, ""
            if after is not None:
                parameters["after"] = _living_id(reader, asked, after)
                beyond = asked.listing.beyond(by)
            sql = asked.listing.newest([asked.page(fit, by, beyond) for fit in asked.fits])
            ids = [whole(one) for (one,) in session.rows(sql, parameters)]
            found = hydrate(session, reader.group, reader.terms, ids)
        return tuple(cast(Concept, found[one]) for one in ids)

    def count(
        self,
        type: str,
        where: Where | None = None,
        *,
        or_where: Sequence[Where] = (),
        among: Collection[str] | None = None,
    ) -> int:
        """Return how many living concepts there are, of those that `newest` has."""
        with self._group.reader() as reader:
            asked = _asked(reader, type, (where or {}, *or_where), among)
            if asked is None:
                return 0
            sql = asked.listing.count([asked.ids(fit) for fit in asked.fits])
            row = reader.session.row(sql, asked.parameters)
        return 0 if row is None else whole(row[0])

    def named(self, type: str, names: Collection[str]) -> dict[str, Concept]:
        """Return the living concepts of a type by their names; who is not there is left out.

        Cost: a statement, whatever the number of names.
        """
        with self._group.reader() as reader:
            session = reader.session
            group, code = reader.group, reader.terms.code(session, type)
            if code is None or not names:
                return {}
            parameters: Parameters = {
                "group": group.group_id,
                "names": orjson.dumps([*names]).decode(),
                "living": LIVING,
                "type": code,
            }
            rows = session.rows(NAMED, parameters)
            compare(session, group, [whole(row[0]) for row in rows], is_past=False)
            found = [shown_concept(session, group, reader.terms, row) for row in rows]
        return {one.name: one for one in found}

    def best(
        self,
        term: str,
        type: str,
        where: Where | None = None,
        limit: int = DEFAULT_LIMIT,
        *,
        as_of: AsOf | None = None,
    ) -> tuple[Ranked, ...]:
        """Return the ids of the concepts that fit a plain text, best first, ties by age: as SEARCH.

        Concepts without the attributes asked for are not considered.
        """
        with self._group.reader(as_of) as reader:
            session = reader.session
            group, meanings, moment = reader.group, reader.meanings, reader.moment
            mode = KEYWORD if meanings is None else meanings.mode
            if mode != KEYWORD and why_by_words(session, group, meanings, term):
                mode = KEYWORD
            among, pick = _narrowed(reader, type, where)
            found = search(
                session,
                SearchBounds(group, None, moment.valid, moment.known, where or None, among, pick),
                TextQuestion(term, ElementKind.CONCEPT, type, mode, meanings),
                HitPage(limit),
            )
            names = public_ids(session, group, [one.element for one in found.matches])
        return tuple(Ranked(names[one.element], one.score) for one in found.matches)

    def saying(
        self,
        term: str,
        type: str,
        where: Where | None = None,
        limit: int = DEFAULT_LIMIT,
        *,
        as_of: AsOf | None = None,
    ) -> list[tuple[Concept, float]]:
        """Return the concepts whose words fit a plain text, best first, ties by name.

        Concepts without the attributes asked for are not considered. Meanings are left aside,
        whether there are any or not, and names: an id that is a name says nothing.
        """
        with self._group.reader(as_of) as reader:
            session, group, moment = reader.session, reader.group, reader.moment
            code = reader.terms.code(session, type)
            if code is None:
                return []
            among, pick = _narrowed(reader, type, where)
            scope = SearchBounds(
                group, code, moment.valid, moment.known, where or None, among, pick
            )
            ranks = wordy_hits(session, scope, storable(term), limit)
            held = hydrate(session, group, reader.terms, ranks, moment)
        return [(cast(Concept, held[one]), relevance(rank)) for one, rank in ranks.items()]


def _asked(
    reader: Reader, type_: str, where: Sequence[Where], among: Collection[str] | None = None
) -> _Asked | None:
    """Return the question as SQL; None for a type that the group never used."""
    session, group = reader.session, reader.group
    code = reader.terms.code(session, type_)
    if code is None:
        return None
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "type": code,
        "living": LIVING,
        "few": _FEW + 1,
    }
    if among is not None:
        found = latest_by_id(session, group, among)
        parameters["among"] = orjson.dumps([*found.values()]).decode()
    asked = _Asked(session, parameters, (), _indexed(session, group, type_), among is not None)
    return replace(asked, fits=tuple(_fit(asked, parameters, one) for one in where))


def _indexed(session: Session, group: Group, type_: str) -> frozenset[str]:
    """Return the attributes of a type whose index is declared and built."""
    rows = session.rows(INDEXES, {"group": group.group_id, "every": EVERY_GROUP, "name": type_})
    built = {text(one) for (one,) in session.rows(BUILT)} if rows else ()
    declared = (text(one) for (one,) in rows)
    return frozenset(one for one in declared if index_name(one, session.dialect) in built)


def _fit(asked: _Asked, parameters: dict[str, SqlValue], where: Where) -> _Fit:
    """Return one way to ask; the values go to the parameters."""
    having: dict[str, str] = {}
    for attribute, values in where.items():
        name = f"values{len(parameters)}"
        parameters[name] = orjson.dumps(list(values)).decode()
        having[attribute] = asked.listing.having(attribute, name)
    conditions = " AND ".join([asked.listing.of_type(), *having.values()])
    if asked.is_among:
        return _Fit(conditions, None)
    counts = {one: _peek(asked, one, having[one]) for one in where if one in asked.indexed}
    few = min(counts, key=counts.__getitem__, default=None)
    return _Fit(conditions, None if few is None or counts[few] > _FEW else few, few)


def _peek(asked: _Asked, attribute: str, having: str) -> int:
    """Return how many concepts have one of the values, as far as they are few."""
    row = asked.session.row(asked.listing.peek(attribute, having), asked.parameters)
    return 0 if row is None else whole(row[0])


def _few(asked: _Asked) -> frozenset[int] | None:
    """Return the concepts meant where an index finds few; None where they are many."""
    (fit,) = asked.fits
    if fit.through is None:
        return None
    rows = asked.session.rows(asked.ids(fit), asked.parameters)
    return frozenset(whole(one) for (one,) in rows)


def _narrowed(
    reader: Reader, type_: str, where: Where | None
) -> tuple[frozenset[int] | None, Pick | None]:
    """Return the concepts meant where they are few; else what tells by an index which are."""
    asked = _asked(reader, type_, (where,)) if where and reader.moment is NOW else None
    among = None if asked is None else _few(asked)
    if asked is None or among is not None:
        return among, None
    (fit,) = asked.fits
    if fit.index is None:
        return None, None
    listing = Listing(asked.session.dialect, is_among=True)
    sql = listing.ids(fit.index, f"{fit.conditions} AND {IS_AMONG}")

    def pick(ids: Sequence[int]) -> frozenset[int]:
        given = {**asked.parameters, "among": orjson.dumps(ids).decode()}
        return frozenset(whole(one) for (one,) in asked.session.rows(sql, given))

    return None, pick


def _living_id(reader: Reader, asked: _Asked, public_id: str) -> int:
    found = latest_by_id(reader.session, reader.group, [public_id]).get(public_id)
    parameters = {**asked.parameters, "after": found}
    if found is None or reader.session.row(IS_LIVING, parameters) is None:
        raise NOT_FOUND.error(
            f'no concept of the type has the id "{public_id}"',
            "pass the id of the last one of the page before",
        )
    return found
