"""Facts that hold beside a newer one, where a subject has one object at a time.

The rule: nothing is ended unasked; each comes with how to end it, where the newer begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.errors import Notice, forget_as
from recollect.faces.kip.maintenance.reading import rows_of
from recollect.kernel import Nexus
from recollect.model import BEGINNING, FACT, AsOf, Dated, Instant, Link, bound_text

_FUNCTIONAL: Final = """FIND(?predicate.name) WHERE { ?predicate {type: "$PropositionType"}
FILTER(?predicate.attributes.functional == true) }"""
_PAIRS: Final = """FIND(?one.id, ?other.id) WHERE { ?one (?subject, $predicate, ?here)
?other (?subject, $predicate, ?there) FILTER(?here.id < ?there.id) } LIMIT 20"""


def both_hold(nexus: Nexus, since: Instant = BEGINNING) -> Iterator[Notice]:
    """Yield a notice of facts that hold now beside newer ones, some of each predicate.

    One of them at least was written at an instant or later.
    """
    now = AsOf(valid=nexus.now())
    for (predicate,) in rows_of(nexus, _FUNCTIONAL):
        rows = nexus.read(_PAIRS, {"predicate": str(predicate)}, as_of=now).rows
        for pair in rows:
            found = nexus.elements.look_up([str(one) for one in pair]).values()
            older, newer = sorted(found, key=lambda one: (one.valid_at or 0, one.created_at))
            if max(older.created_at, newer.created_at) < since:
                continue
            message = f"{_said(older)} goes on beside {_said(newer)}, which is newer"
            end = forget_as(older.element.id, "end", bound_text(newer.valid_at))
            yield Notice("both_hold", f"{message}, and one holds at a time", end)


def _said(dated: Dated) -> str:
    link = dated.element
    assert isinstance(link, Link)
    return str(link.attributes.get(FACT) or link.predicate)
