"""A purged claim takes what only it uses: its evidence and its tags, to the last byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.claims.conftest import Wait, claim

from behind import BYTES
from recollect.faces.claims import (
    EvidenceRef,
    NexusKnowledgeStore,
    SQLiteKnowledgeStore,
)
from recollect.model import Found, Key, PutConcept, PutLink

SHARED = EvidenceRef("user_statement", detail="we spoke of ostriches")


def own(name: str) -> EvidenceRef:
    return EvidenceRef("user_statement", detail=f"I saw the {name} myself")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge.db"


def remembered(path: Path, wait: Wait) -> NexusKnowledgeStore:
    """A store with two claims that share evidence and a tag, beside a decoy that says the same."""
    store = SQLiteKnowledgeStore(path)
    for one in (store, NexusKnowledgeStore(store.nexus.group("decoy"))):
        for name in ("zebra", "gnu"):
            evidence = [own("animal" if one is not store else name), SHARED]
            tags = ["safari", f"tag-of-{name}"] if one is store else ["safari"]
            wait(one.write_claim(claim(f"{name} runs", id=name, evidence=evidence, tags=tags)))
    return store


def names(store: NexusKnowledgeStore, kind: str) -> set[str]:
    found = store.nexus.read("FIND(?x) WHERE { ?x {type: $kind} }", {"kind": kind}).results[0]
    return {one.attributes.get("detail", one.name) for (one,) in found.rows}  # type: ignore[union-attr,misc]


@BYTES
def test_a_purged_claim_takes_the_evidence_and_tags_that_nothing_else_uses(
    path: Path, wait: Wait
) -> None:
    store = remembered(path, wait)
    dry = store.nexus.purge(Key("Claim", "zebra"), dry_run=True)
    receipt = store.nexus.purge(Key("Claim", "zebra"))
    assert (receipt.concepts, receipt.links) == (dry.concepts, dry.links) == (3, 4)
    assert names(store, "Evidence") == {SHARED.detail, own("gnu").detail}
    assert names(store, "Tag") == {"safari", "tag-of-gnu"}
    store.nexus.purge(Key("Claim", "gnu"))
    assert names(store, "Evidence") == names(store, "Tag") == set()
    decoy = NexusKnowledgeStore(store.nexus.group("decoy"))
    assert names(decoy, "Tag") == {"safari"}
    assert wait(decoy.count()) == 2
    assert store.nexus.doctor().findings == ()
    store.close()
    for word in (b"tag-of-", b"zebra myself", b"gnu myself"):
        assert word not in path.read_bytes()
    assert b"ostriches" in path.read_bytes()  # the decoy says so too


def test_all_claims_that_are_purged_together_take_what_only_they_share(
    path: Path, wait: Wait
) -> None:
    store = remembered(path, wait)
    store.nexus.purge(Found('FIND(?c) WHERE { ?c {type: "Claim"} }'))
    assert names(store, "Evidence") == names(store, "Tag") == set()


def test_evidence_that_a_transition_brought_goes_too(path: Path, wait: Wait) -> None:
    store = remembered(path, wait)
    wait(store.transition("zebra", "verified", evidence=[own("lion")]))
    store.nexus.purge(Key("Claim", "zebra"))
    assert own("lion").detail not in names(store, "Evidence")


def test_what_somebody_else_links_to_stays(path: Path, wait: Wait) -> None:
    store = remembered(path, wait)
    tag = Key("Tag", "tag-of-zebra")
    store.nexus.write([PutConcept("Trip", "Kenya"), PutLink(Key("Trip", "Kenya"), "about", tag)])
    store.nexus.purge(Key("Claim", "zebra"))
    assert "tag-of-zebra" in names(store, "Tag")


def test_a_closed_claim_still_uses_its_evidence(path: Path, wait: Wait) -> None:
    store = remembered(path, wait)
    wait(store.write_claim(claim("it ran", id="old", evidence=[own("zebra")])))
    wait(store.supersede("old", "gnu"))
    store.nexus.purge(Key("Claim", "zebra"))
    assert own("zebra").detail in names(store, "Evidence")
