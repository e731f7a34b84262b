"""The catalogs of a store's groups, and when they are stale.

A purge takes away terms, and a whole group its number, so what was cached before the last
purge of the store is never used after it, whichever process purged.
"""

from __future__ import annotations

from recollect.kernel.read.reader import Catalog
from recollect.kernel.store.erasure import purges
from recollect.kernel.store.group import Group, load_group
from recollect.kernel.store.protocol import Session

NOBODY = 0
"""The number of a group nobody wrote to."""


class Catalogs:
    """The catalogs by group name; safe to share between threads."""

    def __init__(self) -> None:
        self._catalogs: dict[tuple[int, str], Catalog] = {}  # by purges seen, and name

    def of(self, session: Session, name: str) -> Catalog:
        """Return the catalog of a group; one that nobody wrote to is empty."""
        epoch = purges(session)
        catalog = self._catalogs.get((epoch, name))
        if catalog is None:
            group = load_group(session, name)
            if group is None:
                return Catalog.of(Group(NOBODY, name, bytes(10)))
            stale = [key for key in list(self._catalogs) if key[0] < epoch]
            for key in stale:
                self._catalogs.pop(key, None)
            catalog = self._catalogs.setdefault((epoch, name), Catalog.of(group))
        return catalog

    def known(self, session: Session, name: str) -> Catalog | None:
        """Return the catalog of a group only if it is there already."""
        return self._catalogs.get((purges(session), name))
