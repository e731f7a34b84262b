"""What a thread's reader knows about a group as long as the store does not change.

The rule: it holds for one version of the store; a caller that uses it without a snapshot checks
afterwards that the version is still the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.kernel.read.moment import NOW, Moment, resolve_moment
from recollect.kernel.read.reader import Catalog
from recollect.kernel.read.statistics import Counted
from recollect.kernel.store.port import Session
from recollect.model import AsOf

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
