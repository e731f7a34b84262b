"""What hangs on nothing is told, and nothing is changed."""

from __future__ import annotations

from tests.faces.kip.maintenance.conftest import contents

from recollect.faces.kip import load_capsules
from recollect.faces.kip.maintenance import Orphans, find_orphans
from recollect.kernel import Nexus
from recollect.model import Key

GRAPH = """
UPSERT {
  CONCEPT @m { {type: "Domain", name: "Medicine"} }
  CONCEPT @h { {type: "Symptom", name: "Headache"} }
  CONCEPT @a { {type: "Drug", name: "Aspirin"} SET PROPOSITIONS { ("treats", @h) ("belongs_to_domain", @m) } }
  CONCEPT @b { {type: "Drug", name: "Alone"} }
}
"""


def test_an_empty_memory_has_no_orphans(nexus: Nexus):
    assert find_orphans(nexus) == Orphans((), (), (), ())


def test_concepts_without_links_and_domains_are_told(nexus: Nexus):
    nexus.write(GRAPH)
    before = contents(nexus)
    found = find_orphans(nexus)
    assert found.unlinked == (Key("Drug", "Alone"),)
    assert set(found.homeless) == {Key("Drug", "Alone"), Key("Symptom", "Headache")}
    assert contents(nexus) == before


def test_a_closed_link_holds_nothing(nexus: Nexus):
    nexus.write(GRAPH)
    nexus.write('DELETE PROPOSITIONS ?l WHERE { ?l (?s, "treats", ?o) }')
    assert Key("Symptom", "Headache") in find_orphans(nexus).unlinked


def test_domains_of_definitions_alone_are_not_used(nexus: Nexus):
    load_capsules(nexus, ["memory"])
    nexus.write('UPSERT { CONCEPT { {type: "Event", name: "talk"} } }')
    found = find_orphans(nexus)
    assert (found.unlinked, found.homeless) == ((Key("Event", "talk"),), ())
    assert "Event" not in found.unused_types
    assert {"Insight", "Preference"} <= set(found.unused_types)
    assert "prefers" in found.unused_predicates
    assert "belongs_to_domain" not in found.unused_predicates
