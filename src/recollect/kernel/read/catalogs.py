"""The catalogs of a store's groups, and when they are stale.

A purge takes away terms, and a whole group its number, so what was cached before the last
purge of the store is never used after it, whichever process purged.
"""

from __future__ import annotations

from recollect.kernel.read.cache import Cache
from recollect.kernel.read.reader import Catalog
from recollect.kernel.store.erasure import purges
from recollect.kernel.store.group import Group, load_group
from recollect.kernel.store.protocol import Session

NOBODY = 0
"""The number of a group nobody wrote to."""

_MOST = 256  # groups that are remembered


class Catalogs:
    """The catalogs by group name; safe to share between threads."""

    def __init__(self) -> None:
        self._catalogs: Cache[tuple[int, str], Catalog] = Cache(_MOST)  # by purges seen, and name

    def of(self, session: Session, name: str) -> Catalog:
        """Return the catalog of a group; one that nobody wrote to is empty."""
        epoch = purges(session)
        catalog = self._catalogs.find((epoch, name))
        if catalog is None:
            group = load_group(session, name)
            if group is None:
                return Catalog.of(Group(NOBODY, name, bytes(10)))
            catalog = Catalog.of(group)
            self._catalogs.keep((epoch, name), catalog)
        return catalog

    def known(self, session: Session, name: str) -> Catalog | None:
        """Return the catalog of a group only if it is there already."""
        return self._catalogs.find((purges(session), name))
