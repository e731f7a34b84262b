"""Concept types and predicates by code: one interning table a group.

A code is permanent once committed, so the caches only grow; codes of a dry run or of a
transaction that is rolled back never reach them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import orjson

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.store.cells import whole
from recollect.kernel.store.insertion import put_few
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.sharing import Shared
from recollect.kernel.store.statements.terms import ALL, CODE_OF, CODES_OF, LAST, PUT, TEXT_OF


class Terms(Shared):
    """The terms of one group, safe to share between threads."""

    def __init__(self, group_id: int) -> None:
        super().__init__()
        self.group_id = group_id
        self._codes: dict[str, int] = {}
        self._texts: dict[int, str] = {}

    def code(self, session: Session, text: str) -> int | None:
        """Return the code of a term, or None when the group does not use it."""
        known = self._codes.get(text)
        if known is not None:
            return known
        row = session.row(CODE_OF, {"group": self.group_id, "text": text})
        if row is None:
            return None
        code = int(str(row[0]))
        self._keep(session, {text: code})
        return code

    def codes(self, session: Session, texts: Collection[str]) -> dict[str, int]:
        """Return the codes of those of some terms that the group uses, by one statement."""
        found = {one: self._codes[one] for one in texts if one in self._codes}
        rest = [one for one in texts if one not in found]
        if rest:
            asked: Parameters = {"group": self.group_id, "texts": orjson.dumps(rest).decode()}
            read = {str(one): whole(code) for one, code in session.rows(CODES_OF, asked)}
            self._keep(session, read)
            found |= read
        return found

    def text(self, session: Session, code: int) -> str:
        """Return the term behind a code that a row of the group holds."""
        known = self._texts.get(code)
        if known is not None:
            return known
        row = session.row(TEXT_OF, {"group": self.group_id, "code": code})
        if row is None:
            raise RecollectError(
                STORE_CORRUPT,
                "a row names a type or predicate that is not there",
                hint="run recollect doctor",
            )
        text = str(row[0])
        self._keep(session, {text: code})
        return text

    def all(self, session: Session) -> Mapping[str, int]:
        """Return the code of every term of the group."""
        rows = session.rows(ALL, {"group": self.group_id})
        terms = {str(text): int(str(code)) for text, code in rows}
        self._keep(session, terms)
        return terms

    def publish(self, committed: Mapping[str, int]) -> None:
        """Remember terms that are known to be committed."""
        with self._lock:
            self._codes.update(committed)
            self._texts.update({code: text for text, code in committed.items()})

    def _keep(self, session: Session, terms: Mapping[str, int]) -> None:
        if not session.is_writing:
            self.publish(terms)


class Interning:
    """The terms as one write transaction sees and extends them; nobody else does meanwhile.

    New codes go to the table by `flush`, and to the shared cache when the transaction commits.
    """

    def __init__(self, terms: Terms, session: Session) -> None:
        self._terms = terms
        self._session = session
        self._seen: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._absent: set[str] = set()
        self._first = self._next = 0  # of the new codes, once there are any
        self._unwritten: list[SqlRow] = []
        session.on_commit(lambda: terms.publish(self._seen))

    def code(self, text: str) -> int | None:
        """Return the code of a term, or None when the group does not use it."""
        code = self._seen.get(text)
        if code is None and text not in self._absent:
            code = self._terms.code(self._session, text)
            if code is None:
                self._absent.add(text)
            else:
                self._see(text, code)
        return code

    def expect(self, texts: Iterable[str]) -> None:
        """Look up many terms at once, ahead of asking for each."""
        known = self._seen.keys() | self._absent
        unknown = [one for one in dict.fromkeys(texts) if one not in known]
        found = self._terms.codes(self._session, unknown)
        for text, code in found.items():
            self._see(text, code)
        self._absent.update(one for one in unknown if one not in found)

    def is_new(self, code: int) -> bool:
        """Whether no row that was there before this transaction can have a code."""
        return 0 < self._first <= code

    def intern(self, text: str) -> int:
        """Return the code of a term, giving it the next one when it is new."""
        code = self.code(text)
        if code is not None:
            return code
        code = self._take_next()
        self._see(text, code)
        self._unwritten.append((self._terms.group_id, code, text))
        return code

    def flush(self) -> None:
        """Write the new codes, so that this transaction can read them."""
        rows, self._unwritten = self._unwritten, []
        put_few(self._session, PUT, rows)

    def text(self, code: int) -> str:
        """Return the term behind a code."""
        text = self._texts.get(code)
        if text is None:
            text = self._terms.text(self._session, code)
            self._see(text, code)
        return text

    def all(self) -> Mapping[str, int]:
        """Return the code of every term of the group, the new ones included."""
        self.flush()
        return self._terms.all(self._session)

    def _see(self, text: str, code: int) -> None:
        self._seen[text], self._texts[code] = code, text

    def _take_next(self) -> int:
        if not self._first:
            row = self._session.row(LAST, {"group": self._terms.group_id})
            self._first = self._next = 1 if row is None or row[0] is None else whole(row[0]) + 1
        code = self._next
        self._next += 1
        return code
