"""What is known of the groups of a store, when that is stale, and one group as it is in hand.

A purge takes away terms, and a whole group its number, so what was cached before the last
purge of the store is never used after it, whichever process purged. What a thread remembers of a
group holds for one version of the store: who uses it without a snapshot checks afterwards that the
version is still the same.

A text that was asked before, answered outside of a block: often by one statement.

The rule: without a snapshot each statement sees the store as it stands then, so an answer counts
only if the version of the store was the same all along; else the text is asked anew.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, Protocol

from recollect.errors import RecollectError
from recollect.kernel.read.moment import NOW, Moment, resolve_moment
from recollect.kernel.read.prepared import MOST_CHARACTERS, SplitText
from recollect.kernel.read.reader import Catalog, Clock, Counted, Reader
from recollect.kernel.store.cells import octets, whole
from recollect.kernel.store.functions import forget_patterns
from recollect.kernel.store.group import (
    NO_CHAIN,
    Group,
    existing_group,
    load_group,
    new_group,
    purges,
)
from recollect.kernel.store.port import Session, Store
from recollect.kernel.store.sharing import Cache
from recollect.kernel.store.statements.elements import LAST, STATE
from recollect.kernel.vectors.meanings import Meanings
from recollect.model import Answer, AsOf, Instant, Limits, Value
from recollect.node import dataclass, field

_MOST_MOMENTS = 64


@dataclass(slots=True)
class GroupState:
    """A group in one version of the store, as one session sees it."""

    session: Session
    version: int
    catalog: Catalog
    counted: Counted
    moments: dict[str, Moment] = field(default_factory=dict)  # by the AsOf as it is written

    def moment(self, as_of: AsOf | None) -> Moment:
        """Return the moment of an AsOf, looked up once; INVALID_ARGUMENT for anything else."""
        if as_of is None:
            return NOW
        written = repr(as_of)  # 1, 1.0 and True are equal, and only one of them is a time
        found = self.moments.get(written)
        if found is None:
            found = resolve_moment(self.session, self.catalog.group, as_of)
            if len(self.moments) < _MOST_MOMENTS:
                self.moments[written] = found
        return found


NOBODY = 0
"""The number of a group that has never been written to."""

_MOST = 256  # groups that are remembered


class Last(NamedTuple):
    """Where a write begins: the group's last transaction, and the last id the store gave out."""

    number: int
    at: int
    chain: bytes
    n: int  # of the id, which is 2n + kind


class Forgetful(Protocol):
    """What is kept in memory of the groups of a store."""

    def forget(self) -> None:
        """Drop everything, as a purge demands."""


class Catalogs:
    """The catalogs by group name; safe to share between threads."""

    def __init__(self, meanings: Meanings | None = None, clock: Clock | None = None) -> None:
        self.meanings = meanings
        self._clock = clock
        self._catalogs: Cache[tuple[int, str], Catalog] = Cache(_MOST)  # by purges seen, and name
        self._own = threading.local()
        self.beside: dict[str, Forgetful] = {}  # what else is kept of the groups, by what it is for

    def known_state(self, name: str) -> GroupState | None:
        """Return what this thread remembers of a group; the store may have changed since."""
        known: dict[str, GroupState] = getattr(self._own, "states", {})
        return known.get(name)

    def forget(self) -> None:
        """Drop everything that is in memory, as a purge demands: of texts, terms and vectors."""
        self._catalogs.clear()
        self._own = threading.local()  # what the threads remember goes with the old one
        if self.meanings is not None:
            self.meanings.forget()
        for kept in tuple(self.beside.values()):
            kept.forget()
        forget_patterns()

    def state(self, session: Session, name: str) -> GroupState:
        """Return the state of a group as the snapshot of a session shows it, and remember that."""
        session.stay_in(name)
        row = session.row(STATE, {"name": name})
        epoch, number = (0, None) if row is None else row
        version = session.version()
        catalog = self._at(session, name, whole(epoch))
        number = 0 if number is None else whole(number)
        state = GroupState(session, version, catalog, catalog.statistics.as_of(session, number))
        if not session.is_writing and catalog.group.group_id != NOBODY:
            known = self._own.__dict__.setdefault("states", {})
            if len(known) >= _MOST:
                known.clear()
            known[name] = state
        return state

    def of(self, session: Session, name: str) -> Catalog:
        """Return the catalog of a group; it is empty if nothing was ever written to the group."""
        session.stay_in(name)
        return self._at(session, name, purges(session))

    def _at(self, session: Session, name: str, epoch: int) -> Catalog:
        catalog = self._catalogs.find((epoch, name))
        if catalog is None:
            group = load_group(session, name)
            if group is None:
                return Catalog.of(Group(NOBODY, name, bytes(10)), self.meanings, self._clock)
            catalog = Catalog.of(group, self.meanings, self._clock)
            if not session.is_writing:
                self._catalogs.keep((epoch, name), catalog)
        if session.is_writing:  # nobody else may see what is not committed
            return catalog.apart()
        return catalog

    def for_writing(self, session: Session, name: str) -> tuple[Catalog, Last]:
        """Return the catalog for a write, and create the group if it does not exist yet.

        Nobody else sees what the write makes or counts until it is committed.
        """
        session.stay_in(name)
        row = session.row(LAST, {"name": name})
        assert row is not None
        epoch, n, number, at, chain = row
        key = whole(epoch), name
        catalog = self._catalogs.find(key)
        if catalog is None:
            group = new_group(session, name) if number is None else existing_group(session, name)
            catalog = Catalog.of(group, self.meanings, self._clock)
            session.on_commit(partial(self._catalogs.keep, key, catalog))
        if number is None:
            last = Last(0, 0, NO_CHAIN, whole(n))
        else:
            last = Last(whole(number), whole(at), octets(chain), whole(n))
        return catalog.apart(), last


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """A group by its name, in a store, with what is known of it and how far a call may go."""

    store: Store
    name: str
    catalogs: Catalogs
    limits: Limits
    clock: Clock
    request_id: str | None = None  # for whom all that is written here is written

    @contextmanager
    def reader(self, as_of: AsOf | None = None) -> Iterator[Reader]:
        """Open a snapshot of the group at a moment."""
        with self.store.reading() as session:
            yield Reader(session, self.catalog(session), self.limits, as_of)

    def time(self, session: Session) -> Instant:
        """Return the time for a write: where the engine is a server, by its clock."""
        return Instant(self.clock() + session.skew)

    def catalog(self, session: Session) -> Catalog:
        """Return the catalog of the group; a group nobody wrote to is empty."""
        return self.catalogs.of(session, self.name)

    def for_writing(self, session: Session) -> tuple[Catalog, Last]:
        """Return the catalog for a write, which makes the group if need be."""
        return self.catalogs.for_writing(session, self.name)


_MOST_BYTES = 4 * MOST_CHARACTERS


def answer_prepared(
    session: Session,
    state: GroupState,
    text: str,
    values: Mapping[str, Value],
    as_of: AsOf | None,
    limits: Limits,
) -> Answer | None:
    """Return the answer to a text that was asked before; None if it must be parsed again.

    Raises KIP_4001, KIP_4002 and STORE_BUSY as the long way would.
    """
    split = SplitText.of(text) if limits.max_length >= _MOST_BYTES else None
    if split is None:
        return None
    with session.held():
        if session.depth:
            return None
        try:
            moment = state.moment(as_of)
            reader = Reader(session, state.catalog, limits, moment, state.counted)
            rows = reader.run_prepared(split, values)
            if rows is None or session.version() != state.version:
                return None
        except RecollectError as error:
            if error.code.category != "limit":
                return None
            raise error.at(text) from None
        finally:
            session.allow(None)
    return Answer((rows,), moment.notices)
