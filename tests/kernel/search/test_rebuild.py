from __future__ import annotations

from tests.kernel.search.graph import Graph, search

from recollect.kernel.search.tokens import rebuild
from recollect.kernel.store.port import Session


def test_a_rebuilt_index_answers_as_the_kept_one(session: Session) -> None:
    decoy, graph = Graph(session, "decoy"), Graph(session)
    kept = decoy.concept("Drug", "Aspirin")
    drug = graph.concept("Drug", "Aspirin", {"note": "yellow"})
    pain = graph.concept("Symptom", "Pain")
    graph.link(drug, "treats", pain, {"note": "adults"})
    born = graph.number
    graph.change_concept(drug, {"note": "purple"})
    graph.change_concept(drug, {"note": "purple", "risk": 1})
    graph.close_concept(pain)
    asked = [
        (term, known) for term in ("yellow", "purple", "pain", "adults") for known in (None, born)
    ]

    def answers() -> list[object]:
        return [search(session, graph.group, term, known=known) for term, known in asked]

    before, counts = answers(), graph.counts()
    assert rebuild(session, graph.group.group_id) == 3
    assert answers() == before
    assert graph.counts() == counts
    assert [one.element for one in search(session, decoy.group, "aspirin").matches] == [kept]


def test_a_lost_index_comes_back(session: Session) -> None:
    graph = Graph(session)
    drugs = [graph.concept("Drug", f"Aspirin {at}") for at in range(1_200)]
    session.texts.forget(graph.group.group_id)
    rebuild(session, graph.group.group_id)
    found = search(session, graph.group, "aspirin", limit=2_000)
    assert [one.element for one in found.matches] == drugs
