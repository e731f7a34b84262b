"""Two moments side by side."""

from __future__ import annotations

import pytest
from tests.servers.studio.conftest import Visitor

from recollect.kernel import Nexus
from recollect.model import Delete, PutConcept, instant_text

pytestmark = pytest.mark.usefixtures("told")


def test_what_came_went_and_changed_stands_apart(visitor: Visitor, nexus: Nexus):
    nexus.write([Delete("friends"), PutConcept("Person", "Zoe")])
    page = visitor.text("/compare", **{"from": "#1", "to": ""})
    came, went = page.index("Came"), page.index("Went")
    changed = page.index("Changed")
    assert "Zoe" in page[came:went] and "Bob knows Ann" in page[went:changed]
    assert "engineer director" in page[changed:]


def test_moments_may_be_instants(visitor: Visitor, nexus: Nexus):
    first, *_ = nexus.changes(0, 1)
    at = instant_text(first.transaction.at)
    page = visitor.text("/compare", **{"from": at, "to": "#2"})
    assert "after transaction #1 and after #2" in page and "engineer director" in page
    assert "after transaction #0" in visitor.text("/compare", **{"from": "1990", "to": "#1"})


def test_an_empty_memory_compares_nothing(visitor: Visitor):
    assert "Nothing." in visitor.text("/compare", group="empty")
