"""A small memory with something on every page, for journeys and pictures."""

from __future__ import annotations

from recollect.faces.claims import Actor, Claim, EvidenceRef, from_file, from_tool_result
from recollect.faces.claims.writing import Writer
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece
from recollect.faces.markup import Markup
from recollect.faces.operations import Operations
from recollect.faces.operations.naming import fact_uuid
from recollect.kernel import Nexus
from recollect.model import PutConcept, PutFact, PutLink

EPISODE = "letter"


def tell(nexus: Nexus, operations: Operations) -> None:
    """Tell a memory of a few people, what they do, what is claimed, and where it comes from."""
    operations.add_episodes(
        group_id=nexus.group_name,
        items=[
            {
                "uuid": EPISODE,
                "source": "text",
                "body": "Dear Bob, Ann works at Acme since January, as an engineer. Yours, Cleo",
                "source_description": "a letter",
                "reference_time": "2021-01-31T09:30:00Z",
            }
        ],
    )
    nexus.write(
        [
            PutConcept(
                "Person", "Ann", {"role": "engineer", "summary": "builds bridges"}, id="ann"
            ),
            PutConcept("Person", "Bob", {"role": "baker"}, id="bob"),
            PutConcept("Person", "Cleo", {"role": "gardener"}, id="cleo"),
            PutConcept("Company", "Acme", {"summary": "makes everything"}, id="acme"),
            PutConcept("Company", "Beta", {"summary": "makes the rest"}, id="beta"),
            PutConcept("Town", "Lisbon", id="lisbon"),
            PutFact(
                "ann",
                "works_at",
                "acme",
                "Ann works at Acme",
                metadata={"valid_from": "2021-01-01", "source": "a letter", "confidence": 0.9},
                id=fact_uuid(EPISODE, 0),
                source=EPISODE,
            ),
            PutFact("bob", "lives_in", "lisbon", "Bob lives in Lisbon", id="home"),
            PutLink("bob", "knows", "ann", id="friends", metadata={"confidence": 0.8}),
            PutLink("cleo", "knows", "bob", metadata={"confidence": 0.4}),
            PutLink("acme", "located_in", "lisbon"),
        ],
        actor="importer",
        request_id="first import",
    )
    nexus.write([PutConcept("Person", "Ann", {"role": "director"})], actor="hr", request_id="r-7")
    for key, value in (("valid_from", "2019-03-01"), ("valid_until", "2024-06-30")):
        text = f"UPDATE ?l SET METADATA {{ {key}: $value }} WHERE {{ ?l (id: $id) }}"
        nexus.write(text, {"id": "home", "value": value}, actor="cleo")
    nexus.write([PutConcept("Town", "lisbon", id="twin")], actor="importer")
    _claim(nexus)
    KnowledgeBase(nexus=nexus).add_piece(
        KnowledgePiece("Check the mesh before a simulation.", piece_id="mesh", tags=["mesh"])
    )
    Markup(nexus).apply(
        "- ID: new-1 [created]\n  Label: Bridges\n  - ID: new-2 [created]\n    Label: Arch\n"
    )


def _claim(nexus: Nexus) -> None:
    """Claim two things, of which one is verified and then disputed."""
    writer, alpha = Writer(nexus), Actor("agent", "alpha", run_id="run-1", show_id="show-1")
    report = EvidenceRef("artifact", artifact_id="report", detail="page 3")
    writer.write(
        [
            Claim("Payments uses the saga pattern", [from_file("src/saga.py")], id="sagas"),
            Claim(
                "The build is green",
                [from_tool_result("t1"), report],
                id="green",
                confidence=0.9,
                scope_type="agent",
                scope_id="alpha",
            ),
        ],
        alpha,
    )
    writer.transition("green", "verified", [], None, Actor("user", "ann"))
    against = EvidenceRef("message", detail="it failed for me")
    writer.transition("green", "disputed", [against], "it fails", Actor("agent", "beta"))
