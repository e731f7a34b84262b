"""Functional predicates: those under which a subject has one object at a time.

The rule: the definition of the predicate says so, in the group that it is in.
"""

from __future__ import annotations

from recollect.kernel.read.declared import PROPOSITION_TYPE
from recollect.kernel.store.definitions import names_with_flag
from recollect.kernel.store.port import Session
from recollect.model import FUNCTIONAL, normal_text


def functional_predicates(session: Session, group_id: int) -> frozenset[str]:
    """Return the functional predicates of a group as names are compared; one statement."""
    names = names_with_flag(session, group_id, PROPOSITION_TYPE, FUNCTIONAL)
    return frozenset(map(normal_text, names))
