"""All types and predicates of a memory are listed, however many pages they fill."""

from __future__ import annotations

import recollect
from recollect.faces.kip.maintenance import find_orphans
from recollect.faces.kip.maintenance.reading import listed
from recollect.model import PutConcept

_MANY = 1_001  # one more than a page


def test_names_beyond_the_first_page_are_listed_and_looked_after() -> None:
    types = {f"Type {number}" for number in range(_MANY)}
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept(one, "only") for one in types])
        assert dict(listed(nexus, "CONCEPT TYPES")) == dict.fromkeys(types, 1)
        assert {one.type for one in find_orphans(nexus).unlinked} == types


def test_what_is_declared_and_not_in_use_counts_nothing() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("$ConceptType", "Drug")])
        assert dict(listed(nexus, "CONCEPT TYPES")) == {"$ConceptType": 1, "Drug": 0}
