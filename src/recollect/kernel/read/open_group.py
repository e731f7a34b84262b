"""One group of an open store, as each part of a memory has it in hand.

The rule: what is read is read in a snapshot of its own, unless a transaction or snapshot is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from recollect.kernel.read.catalogs import Catalogs, Last
from recollect.kernel.read.reader import Catalog, Clock, Reader
from recollect.kernel.store.port import Session, Store
from recollect.model import AsOf, Limits


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """A group by its name, in a store, with what is known of it and how far a call may go."""

    store: Store
    name: str
    catalogs: Catalogs
    limits: Limits
    clock: Clock

    @contextmanager
    def reader(self, as_of: AsOf | None = None) -> Iterator[Reader]:
        """Open a snapshot of the group at a moment."""
        with self.store.reading() as session:
            yield Reader(session, self.catalog(session), self.limits, as_of)

    def catalog(self, session: Session) -> Catalog:
        """Return the catalog of the group; a group nobody wrote to is empty."""
        return self.catalogs.of(session, self.name)

    def for_writing(self, session: Session) -> tuple[Catalog, Last]:
        """Return the catalog for a write, which makes the group if need be."""
        return self.catalogs.for_writing(session, self.name)
