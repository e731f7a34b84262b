"""Graphs written row by row, so that search is tested without the writer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from recollect.kernel.search import search as searching
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.search.search import HitPage, Matches, TextQuestion
from recollect.kernel.search.tokens import TextIndex, concept_text, link_text
from recollect.kernel.store.cells import TALLY_CONCEPTS, TALLY_LINKS
from recollect.kernel.store.group import Group, create_group
from recollect.kernel.store.port import Session
from recollect.model import BEGINNING, FOREVER, LIVING, ElementKind, Value

_CONCEPT = """
INSERT INTO concept (id, group_id, type, name, public_id, attributes, metadata, valid_at,
  invalid_at, version, born_at, changed_at, expired_at, salt)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
"""
_LINK = """
INSERT INTO link (id, group_id, subject, predicate, object, key, public_id, attributes, metadata,
  valid_at, invalid_at, version, born_at, changed_at, expired_at, salt)
VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
"""
_PAST = """
INSERT INTO past (group_id, id, until, attributes, metadata, valid_at, invalid_at, version,
  changed_at)
SELECT group_id, id, ?, attributes, metadata, valid_at, invalid_at, version, changed_at
FROM concept WHERE id = ? AND group_id = ?
"""
_TALLY = """
INSERT INTO tally (group_id, kind, term, count) VALUES (?, ?, ?, ?)
ON CONFLICT (group_id, kind, term) DO UPDATE SET count = tally.count + excluded.count
"""
SALT = bytes(1)


class Graph:
    """One group's rows, written one element at a time; every call is one transaction number."""

    _last = 0  # the id space is the database's, shared by its groups

    def __init__(self, session: Session, name: str = "main") -> None:
        self.session = session
        self.group: Group = create_group(session, name)
        self.number = 0
        self.codes: dict[str, int] = {}
        self.index = TextIndex(session, self.group.group_id)

    def concept(
        self,
        type: str,
        name: str,
        attributes: Mapping[str, Value] | None = None,
        metadata: Mapping[str, Value] | None = None,
        id: str | None = None,
        valid: tuple[int, int] = (BEGINNING, FOREVER),
    ) -> int:
        element = self._next(0)
        code = self._code(type)
        attributes, metadata = attributes or {}, metadata or {}
        row = (element, self.group.group_id, code, name, id, _json(attributes))
        row += (_json(metadata), *valid, self.number, self.number, LIVING, SALT)
        self.session.execute_many(_CONCEPT, [row])
        self._tally(TALLY_CONCEPTS, code, 1)
        self.index.put(element, True, concept_text(name, id, attributes, metadata))
        self.index.flush()
        return element

    def link(
        self,
        subject: int,
        predicate: str,
        object: int,
        attributes: Mapping[str, Value] | None = None,
        metadata: Mapping[str, Value] | None = None,
    ) -> int:
        element = self._next(1)
        code = self._code(predicate)
        attributes, metadata = attributes or {}, metadata or {}
        row = (element, self.group.group_id, subject, code, object, None, _json(attributes))
        row += (_json(metadata), BEGINNING, FOREVER, self.number, self.number, LIVING, SALT)
        self.session.execute_many(_LINK, [row])
        self._tally(TALLY_LINKS, code, 1)
        self.index.put(element, True, link_text(predicate, attributes, metadata))
        self.index.flush()
        return element

    def change_concept(self, element: int, attributes: Mapping[str, Value]) -> None:
        """Replace a concept's attributes, keeping what was there as the past."""
        self.number += 1
        name, old = self._content(element)
        self.session.execute_many(_PAST, [(self.number, element, self.group.group_id)])
        sql = "UPDATE concept SET attributes = ?, changed_at = ? WHERE id = ? AND group_id = ?"
        self.session.execute_many(
            sql, [(_json(attributes), self.number, element, self.group.group_id)]
        )
        before, after = (concept_text(name, None, one, {}) for one in (old, attributes))
        if before != after:
            self.index.supersede(element, self.number, before)
        self.index.put(element, True, after, before)
        self.index.flush()

    def close_concept(self, element: int) -> None:
        self.number += 1
        name, attributes = self._content(element)
        sql = "UPDATE concept SET expired_at = ? WHERE id = ? AND group_id = ?"
        self.session.execute_many(sql, [(self.number, element, self.group.group_id)])
        text = concept_text(name, None, attributes, {})
        self.index.put(element, False, text, text)
        self.index.flush()

    def counts(self) -> dict[tuple[str, int], int]:
        """What the index says it holds, by kind of tally and part; zeros left out."""
        sql = "SELECT kind, term, count FROM tally WHERE group_id = ? AND kind IN ('documents', 'tokens') AND count <> 0"
        rows = self.session.rows(sql, (self.group.group_id,))
        return {(str(kind), int(str(part))): int(str(count)) for kind, part, count in rows}

    def _content(self, element: int) -> tuple[str, dict[str, Value]]:
        sql = "SELECT name, attributes FROM concept WHERE id = ? AND group_id = ?"
        row = self.session.row(sql, (element, self.group.group_id))
        assert row is not None
        return str(row[0]), json.loads(str(row[1]))

    def _next(self, bit: int) -> int:
        self.number += 1
        Graph._last += 1
        return 2 * Graph._last + bit

    def _code(self, text: str) -> int:
        if text not in self.codes:
            self.codes[text] = len(self.codes) + 1
            sql = "INSERT INTO term (group_id, code, text) VALUES (?, ?, ?)"
            self.session.execute_many(sql, [(self.group.group_id, self.codes[text], text)])
        return self.codes[text]

    def _tally(self, kind: str, term: int, count: int) -> None:
        self.session.execute_many(_TALLY, [(self.group.group_id, kind, term, count)])


def search(
    session: Session,
    group: Group,
    term: str,
    kind: ElementKind | None = None,
    type: str | None = None,
    limit: int = 10,
    **bounds: Any,
) -> Matches:
    """Search a group as a text, a page of hits and bounds tell."""
    page = HitPage(limit, bounds.pop("threshold", 0.0))
    question = TextQuestion(term, kind, type)
    return searching.search(session, SearchBounds(group, **bounds), question, page)


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
