"""Concepts of a type by the values of their attributes: the newest, how many, the best for a text.

The rule: what an index is declared for is found through it. Where few concepts have a value they
are gathered and put in order; where many have it, the order's own index is walked until enough
are found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from recollect.errors import NOT_FOUND, RecollectError
from recollect.kernel.read.catalogs import Catalogs
from recollect.kernel.read.dated import ids_named
from recollect.kernel.read.moment import NOW
from recollect.kernel.read.named import public_ids
from recollect.kernel.read.reader import Reader
from recollect.kernel.search.known_terms import term_code
from recollect.kernel.search.modes import KEYWORD, why_by_words
from recollect.kernel.search.scope import Where
from recollect.kernel.search.search import DEFAULT_LIMIT, search
from recollect.kernel.sql import nodes
from recollect.kernel.sql.attribute_index import index_name
from recollect.kernel.sql.sqlite import SQLITE
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.protocol import Session, SqlValue
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.sqlite import SqliteStore
from recollect.model import AsOf, ElementKind, Limits, Ranked

_FEW = 2_000  # concepts that are gathered rather than walked to

_INDEXES = """
SELECT a.attribute FROM attribute_index AS a WHERE a.group_id = :group AND a.type = :name
"""
_OF_TYPE = "c.group_id = :group AND c.type = :type AND c.expired_at = :living"


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question: the type, what its concepts must have, and which index finds them."""

    session: Session
    parameters: Mapping[str, SqlValue]
    conditions: str  # the SQL of all that they must have
    through: str | None  # the attribute whose index finds few of them
    indexed: frozenset[str]  # attributes that have an index

    def source(self, attribute: str | None) -> str:
        """Return the table, through the index of an attribute."""
        return "concept AS c" + (
            "" if attribute is None else f" INDEXED BY {index_name(attribute)}"
        )


class Concepts:
    """The concepts of one group, by type and by texts among their attributes."""

    def __init__(
        self, store: SqliteStore, group_name: str, catalogs: Catalogs, limits: Limits
    ) -> None:
        self._store = store
        self._group_name = group_name
        self._catalogs = catalogs
        self._limits = limits

    def newest(
        self,
        type: str,
        by: str,
        where: Where | None = None,
        limit: int = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> tuple[str, ...]:
        """Return the ids of living concepts, by the value of an attribute, the highest first.

        Ties are in the order of birth, the last first. `after` is the id of the last concept of
        the page before; KIP_3002 when nothing is called so.
        """
        with self._store.reading() as session:
            reader = self._reader(session)
            asked = _asked(reader, type, where or {})
            if asked is None:
                return ()
            value = _value("c", by)
            parameters = {**asked.parameters, "limit": limit}
            conditions = f"{asked.conditions} AND {value} IS NOT NULL"
            if after is not None:
                parameters["after"] = _living_id(reader, after)
                conditions += f" AND ({value}, c.id) < ({_VALUE_OF.format(value=_value('a', by))})"
            walked = by if asked.through is None and by in asked.indexed else asked.through
            order = f"+{value}" if walked != by else value
            rows = session.rows(
                f"SELECT c.id FROM {asked.source(walked)} WHERE {conditions}"  # noqa: S608
                f" ORDER BY {order} DESC, c.id DESC LIMIT :limit",
                parameters,
            )
            ids = [whole(one) for (one,) in rows]
            names = public_ids(session, reader.group, ids)
        return tuple(names[one] for one in ids)

    def count(self, type: str, where: Where | None = None) -> int:
        """Return how many living concepts there are."""
        with self._store.reading() as session:
            asked = _asked(self._reader(session), type, where or {})
            if asked is None:
                return 0
            row = session.row(
                f"SELECT COUNT(*) FROM {asked.source(asked.through)}"  # noqa: S608
                f" WHERE {asked.conditions}",
                asked.parameters,
            )
        return 0 if row is None else whole(row[0])

    def best(
        self,
        term: str,
        type: str,
        where: Where | None = None,
        limit: int = DEFAULT_LIMIT,
        *,
        as_of: AsOf | None = None,
    ) -> tuple[Ranked, ...]:
        """Return the ids of what a plain text is about, best first, ties by birth: as SEARCH.

        What does not have the attributes asked for is no candidate.
        """
        with self._store.reading() as session:
            reader = self._reader(session, as_of)
            group, meanings, moment = reader.group, reader.meanings, reader.moment
            mode = KEYWORD if meanings is None else meanings.mode
            if mode != KEYWORD and why_by_words(session, group, meanings, term):
                mode = KEYWORD
            among = None
            if where and moment is NOW:
                asked = _asked(reader, type, where)
                among = None if asked is None else _few(asked)
            found = search(
                session,
                group,
                term,
                ElementKind.CONCEPT,
                type,
                limit,
                moment.valid,
                moment.known,
                mode=mode,
                meanings=meanings,
                where=where or None,
                among=among,
            )
            names = public_ids(session, group, [one.element for one in found.matches])
        return tuple(Ranked(names[one.element], one.score) for one in found.matches)

    def _reader(self, session: Session, as_of: AsOf | None = None) -> Reader:
        return Reader(session, self._catalogs.of(session, self._group_name), self._limits, as_of)


_VALUE_OF = """SELECT {value}, a.id FROM concept AS a
WHERE a.group_id = :group AND a.id = :after"""


def _asked(reader: Reader, type_: str, where: Where) -> _Asked | None:
    """Return the question as SQL; None for a type that the group never used."""
    session, group_id = reader.session, reader.group.group_id
    code = term_code(session, group_id, ElementKind.CONCEPT, type_)
    if code is None:
        return None
    parameters: dict[str, SqlValue] = {
        "group": group_id,
        "type": code,
        "living": LIVING,
        "few": _FEW + 1,
    }
    rows = session.rows(_INDEXES, {"group": group_id, "name": type_})
    indexed = frozenset(text(one) for (one,) in rows)
    having: dict[str, str] = {}
    for number, (attribute, values) in enumerate(where.items()):
        parameters[f"values{number}"] = orjson.dumps(list(values)).decode()
        value = _value("c", attribute)
        having[attribute] = (
            f"{value} IS NOT NULL AND"  # noqa: S608 - names of attributes, quoted
            f" {value} IN (SELECT one.value FROM json_each(:values{number}) AS one)"
        )
    conditions = " AND ".join([_OF_TYPE, *having.values()])
    asked = _Asked(session, parameters, conditions, None, indexed)
    counts = {one: _peek(asked, one, having[one]) for one in where if one in indexed}
    few = min(counts, key=counts.__getitem__, default=None)
    if few is None or counts[few] > _FEW:
        return asked
    return _Asked(session, parameters, conditions, few, indexed)


def _peek(asked: _Asked, attribute: str, having: str) -> int:
    """Return how many concepts have one of the values, as far as they are few."""
    row = asked.session.row(
        f"SELECT COUNT(*) FROM (SELECT 1 FROM {asked.source(attribute)}"  # noqa: S608
        f" WHERE {_OF_TYPE} AND {having} LIMIT :few)",
        asked.parameters,
    )
    return 0 if row is None else whole(row[0])


def _few(asked: _Asked) -> frozenset[int] | None:
    """Return the concepts meant where an index finds few; None where they are many."""
    if asked.through is None:
        return None
    rows = asked.session.rows(
        f"SELECT c.id FROM {asked.source(asked.through)} WHERE {asked.conditions}",  # noqa: S608
        asked.parameters,
    )
    return frozenset(whole(one) for (one,) in rows)


def _living_id(reader: Reader, public_id: str) -> int:
    found = ids_named(reader.session, reader.group, [public_id], NOW)
    if public_id not in found:
        raise RecollectError(
            NOT_FOUND,
            f'no concept has the id "{public_id}"',
            hint="pass the id of the last one of the page before",
        )
    return found[public_id]


def _value(table: str, attribute: str) -> str:
    """Return the SQL of an attribute's value, spelled as its index spells it."""
    return SQLITE.render_json(nodes.Part.VALUE, f"{table}.attributes", attribute)
