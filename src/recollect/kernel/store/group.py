"""Groups: the tenants of a store, and the one place where a group's name is looked up.

A store counts its purges, by which what was cached before the last is known to be stale.

Concept types and predicates by code: one interning table a group.

A code is permanent once committed, so the caches only grow; codes of a dry run or of a
transaction that is rolled back never reach them.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection, Iterable, Mapping

import orjson

from recollect.errors import (
    NOT_FOUND,
    STORE_CORRUPT,
    Hint,
    RecollectError,
    ToDo,
    not_among,
    refused,
)
from recollect.kernel.store.cells import BITS_BYTES, EVERY_GROUP, KEY_BYTES, octets, text, whole
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.sharing import Shared
from recollect.kernel.store.statements.counts import (
    ADD,
    ALL,
    CREATE_GROUP,
    DELETE,
    LAST,
    LOST,
    MAKE_STALE,
    NAMES,
    ONE,
    PURGES,
    RETIRE_GROUP,
    UNFINISHED,
)
from recollect.kernel.store.statements.terms import (
    ALL as ALL_TERMS,
    CODE_OF,
    CODES_OF,
    LAST as LAST_CODE,
    PUT,
    TEXT_OF,
)
from recollect.model import Instant
from recollect.node import dataclass

_LONGEST = 128
NO_CHAIN = bytes(32)
"""The chain hash of a group before its first transaction."""


@dataclass(frozen=True, slots=True)
class Group:
    """A tenant: everything that is read or written names one."""

    group_id: int
    name: str
    id_bits: bytes  # the constant part of the public ids, then the key of the other part
    is_strict: bool = False  # whether types and predicates must be declared


def checked_name(name: str) -> str:
    """Return the name of a group in NFC, or INVALID_ARGUMENT."""
    if not isinstance(name, str):
        raise _no_name()
    normal = name if len(name) > _LONGEST else unicodedata.normalize("NFC", name)
    if not is_name(normal):
        raise _no_name()
    return normal


def is_name(name: str) -> bool:
    """Whether a group can be asked for by a name as it is stored."""
    return (
        1 <= len(name) <= _LONGEST and name.isprintable() and unicodedata.is_normalized("NFC", name)
    )


def _no_name() -> RecollectError:
    return refused(
        "the group name is not 1 to 128 printable characters", 'use a name such as "default"'
    )


def load_group(session: Session, name: str) -> Group | None:
    """Return the group of that name, if the store has it; INVALID_ARGUMENT for a bad name."""
    session.stay_in(name := checked_name(name))
    rows = session.once(ONE, {"name": name})
    return _group(rows[0]) if rows else None


def existing_group(session: Session, name: str) -> Group:
    """Return the group of that name, or KIP_3002 with the nearest names."""
    group = load_group(session, name)
    if group is None:
        all_of_them = Hint("use Nexus.groups to see which there are", ToDo.LIST_GROUPS)
        message, known = f'no group is named "{name}"', group_names(session)
        raise not_among(message, name, known, 'use "{}"', all_of_them, NOT_FOUND)
    return group


def create_group(session: Session, name: str) -> Group:
    """Create a group inside the write transaction of `session`, or return the one there is."""
    return load_group(session, name) or new_group(session, name)


def new_group(session: Session, name: str) -> Group:
    """Create a group that is known not to be there, inside the write transaction of `session`."""
    name, id_bits = checked_name(name), secrets.token_bytes(BITS_BYTES + KEY_BYTES)
    row = session.row(CREATE_GROUP, {"name": name, "id_bits": id_bits, "chain": NO_CHAIN})
    assert row is not None
    session.ask_anew()
    return Group(whole(row[0]), name, id_bits)


def group_names(session: Session) -> tuple[str, ...]:
    """Return the names of all groups, in order of code points."""
    return tuple(text(name) for (name,) in session.rows(NAMES))


def all_groups(session: Session) -> list[Group]:
    """Return all groups by their names, including those whose names are not valid."""
    return [_group(row) for row in session.rows(ALL)]


def lost_groups(session: Session) -> set[int]:
    """Return the numbers of groups that have rows and are not there. Cost: every row."""
    found = {(table, whole(one)) for table in LOST for (one,) in session.rows(LOST[table])}
    return {one for _, one in found - {("attribute_index", EVERY_GROUP)}}


def last_transaction(session: Session, group_id: int) -> int:
    """Return the number of a group's last transaction; 0 where nothing was written."""
    return _last(session, group_id)[0]


def last_instant(session: Session, group_id: int) -> Instant:
    """Return the instant of a group's last transaction; 0 where nothing was written."""
    return Instant(_last(session, group_id)[1])


def purges(session: Session) -> int:
    """Return how many purges the store has seen: what was cached before the last is stale."""
    rows = session.once(PURGES, {})
    return whole(rows[0][0]) if rows else 0


def make_stale(session: Session, group_id: int) -> None:
    """Let nothing that was cached of a group be used again, as a purge of nothing would."""
    session.execute_many(MAKE_STALE, [{"group": group_id}])


def add_counts(session: Session, group_id: int, changes: Mapping[tuple[str, int], int]) -> None:
    """Add differences to a group's counts, by kind of tally and term."""
    changed = [(group_id, *key, change) for key, change in sorted(changes.items()) if change]
    if changed:
        session.put_few(ADD, changed)


def delete_group(session: Session, group_id: int) -> None:
    """Delete every row of a group that has groups, and retire its number."""
    for statement in (*DELETE.values(), RETIRE_GROUP):
        session.execute_many(statement, [{"group": group_id}])


def has_unfinished_erasure(session: Session) -> bool:
    """Whether bytes of a purge may still be in the file."""
    return session.row(UNFINISHED) is not None


def _last(session: Session, group_id: int) -> tuple[int, int]:
    rows = session.once(LAST, {"group": group_id})
    return (whole(rows[0][0]), whole(rows[0][1])) if rows else (0, 0)


def _group(row: SqlRow) -> Group:
    group_id, name, id_bits, is_strict = row
    return Group(whole(group_id), text(name), octets(id_bits), bool(is_strict))


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
            raise STORE_CORRUPT.error(
                "a row names a type or predicate that is not there", "run recollect doctor"
            )
        text = str(row[0])
        self._keep(session, {text: code})
        return text

    def all(self, session: Session) -> Mapping[str, int]:
        """Return the code of every term of the group."""
        rows = session.rows(ALL_TERMS, {"group": self.group_id})
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
        for term, code in found.items():
            self._see(term, code)
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
        self._session.put_few(PUT, rows)

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
            row = self._session.row(LAST_CODE, {"group": self._terms.group_id})
            self._first = self._next = 1 if row is None or row[0] is None else whole(row[0]) + 1
        code = self._next
        self._next += 1
        return code
