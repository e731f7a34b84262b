"""A memory as lines of JSON comes back as it was."""

from __future__ import annotations

import asyncio
import json
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.integrations.exchange.conftest import Write, elements, exported, rows, twice_is_once
from typing_extensions import Buffer

import recollect
from recollect.errors import RecollectError
from recollect.faces.claims import Claim, EvidenceRef, NexusKnowledgeStore
from recollect.faces.operations import Operations
from recollect.integrations.exchange import EXPORT_FORMATS, hand_out, take_in
from recollect.kernel import Nexus
from recollect.kernel.write.unit import LARGEST
from recollect.model import Found, Key, Local, PutConcept, PutFact, PutLink

PREDICATES = ("supported_by", "contradicted_by", "supersedes", "tagged")

TAUGHT = """UPSERT {
  CONCEPT @d { {type: "Drug", name: "Aspirin", id: "drug:1"} SET ATTRIBUTES { risk: 2 } } WITH METADATA { valid_from: "1899" }
  CONCEPT @s { {type: "Symptom", name: "Headache"} }
  PROPOSITION @l { (@d, "treats", @s) } WITH METADATA { confidence: 0.9 }
  PROPOSITION @m { ({type: "Drug", name: "Aspirin"}, "seen_in", @l) }
  PROPOSITION @n { (@m, "about", @l) SET ATTRIBUTES { note: "deep" } }
}
WITH METADATA { source: "a book" }"""


def teach(nexus: Nexus) -> None:
    nexus.write(TAUGHT)
    operations = Operations(nexus)
    given = {"group_id": "team"}
    for uuid in ("ann", "acme"):
        operations.call("AddEntityNode", {**given, "uuid": uuid, "name": uuid.title()})
    ends = {"source_node_uuid": "ann", "target_node_uuid": "acme"}
    for year, words in ((2020, "Ann joined Acme"), (2022, "Ann leads Acme")):
        fact = {"name": "WORKS_AT", "fact": words, "valid_at": f"{year}-01-01T00:00:00Z"}
        operations.call("AddFact", {**given, **ends, **fact})
    item = {"source": "text", "body": "Ann joined", "reference_time": "2020-01-01T00:00:00Z"}
    operations.call("AddEpisodes", {**given, "items": [item]})


def test_what_is_exported_comes_back_as_it_was(nexus: Nexus, tmp_path: Path) -> None:
    teach(nexus)
    path = exported(nexus, tmp_path / "all.jsonl", "jsonl")
    with recollect.open(":memory:") as other:
        other.write('UPSERT { CONCEPT @x { {type: "X", name: "x"} } }')
        report = twice_is_once(other, path)
        assert report.format == "jsonl"
        assert report.skipped == ()
        other.write('DELETE CONCEPT ?x DETACH WHERE { ?x {type: "X"} }')
        assert elements(other) == elements(nexus)
        kept = {record_id(line) for line in path.read_text().splitlines()}
        again = exported(other, tmp_path / "again.jsonl", "jsonl").read_text().splitlines()
        assert {record_id(line) for line in again} == kept


def record_id(line: str) -> str:
    members = json.loads(line)
    return members.get("concept") or members["link"]


def test_a_line_holds_ids_and_clocks(nexus: Nexus, tmp_path: Path) -> None:
    teach(nexus)
    lines = [
        json.loads(one) for one in exported(nexus, tmp_path / "a", "jsonl").read_text().splitlines()
    ]
    drug = next(one for one in lines if one.get("concept") == "drug:1")
    created = drug.pop("created_at")
    assert created.endswith("Z")
    assert drug == {
        "concept": "drug:1",
        "type": "Drug",
        "name": "Aspirin",
        "attributes": {"risk": 2},
        "metadata": {"source": "a book", "valid_from": "1899"},
        "valid_at": "1899-01-01T00:00:00.000Z",
    }
    treats = next(one for one in lines if one.get("predicate") == "treats")
    assert treats["subject"] == {"type": "Drug", "name": "Aspirin"}
    assert {"link": treats["link"]} in [one.get("object") for one in lines]


@pytest.mark.sqlite_only("copies a file")
def test_into_a_copy_of_the_same_memory_too(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "one.db", "team") as nexus:
        teach(nexus)
        nexus.backup(tmp_path / "copy.db")
        nexus.write(
            'UPSERT { CONCEPT @x { {type: "Drug", name: "Morphine"} SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Headache"}) } } }'
        )
        path = exported(nexus, tmp_path / "all.jsonl", "jsonl")
        with recollect.open(tmp_path / "copy.db", "team") as copy:
            copy.write('UPSERT { CONCEPT @y { {type: "Person", name: "Bob"} } }')
            report = twice_is_once(copy, path)
            assert (report.created, report.updated) == (2, 0)
            assert rows(copy, 'FIND(?p.name) WHERE { ?p {type: "Person"} }') == [("Bob",)]


def test_blank_names_and_keys_come_back(nexus: Nexus, tmp_path: Path) -> None:
    blank = Key("\t", "\u3000")
    nexus.write(
        [
            PutConcept(blank.type, blank.name, new_id=" "),
            PutLink(blank, " ", blank, key="\n", new_id="  ", handle="l"),
            PutLink(Local("l"), "about", blank),
        ]
    )
    path = exported(nexus, tmp_path / "all.jsonl", "jsonl")
    with recollect.open(":memory:") as other:
        assert twice_is_once(other, path).skipped == ()
        assert elements(other) == elements(nexus)
        assert exported(other, tmp_path / "again", "jsonl").read_bytes().count(b"\n") == 3


def test_the_largest_element_comes_back(nexus: Nexus, tmp_path: Path) -> None:
    most = {"text": "x" * (LARGEST - len('{"text":""}'))}
    nexus.write([PutConcept("T", "large", most, most)])
    path = exported(nexus, tmp_path / "all.jsonl", "jsonl")
    with recollect.open(":memory:") as other:
        assert take_in(other, path).created == 1
        assert elements(other) == elements(nexus)


@pytest.mark.parametrize("member", ["concept", "type", "name"])
@pytest.mark.parametrize("name", ["", None])
def test_a_line_without_a_name_is_refused(
    nexus: Nexus, write: Write, member: str, name: str | None
) -> None:
    line = {"concept": "c", "type": "T", "name": "n", member: name}
    with pytest.raises(RecollectError, match=f"line 1 .*{member} is missing or empty"):
        take_in(nexus, write("e.jsonl", [line]), format="jsonl")


def test_an_export_of_another_time_and_of_a_query(nexus: Nexus, tmp_path: Path) -> None:
    teach(nexus)
    with (tmp_path / "then").open("xb") as stream:
        assert hand_out(nexus, stream, "jsonl", as_of={"known": 1}) == 5
    with (tmp_path / "some").open("xb") as stream:
        assert (
            hand_out(nexus, stream, "jsonl", Found('FIND(?s) WHERE { ?s {type: "Symptom"} }')) == 1
        )


def test_claims_stay_and_say_so(nexus: Nexus, write: Write) -> None:
    lines = [
        {"concept": "c", "type": "Claim", "name": "c", "attributes": {"text": "x"}},
        {
            "link": "l",
            "subject": {"type": "Claim", "name": "c"},
            "predicate": "tagged",
            "object": {"type": "Tag", "name": "t"},
        },
    ]
    report = take_in(nexus, write("claims.jsonl", lines))
    assert [one.lines for one in report.skipped] == [(1,), (2,)]
    assert nexus.stats().links == 0


def test_no_format_adds_to_a_claim_that_is_there(nexus: Nexus, write: Write) -> None:
    store = NexusKnowledgeStore(nexus)
    for name in ("one", "two"):
        claim = Claim(f"payments uses {name}", [EvidenceRef("file", path=f"{name}.py")], id=name)
        asyncio.run(store.write_claim(claim))
    before = elements(nexus)
    found = nexus.elements.records(Found('FIND(?e) WHERE { ?e {type: "Evidence"} }'))
    evidence = [one.concept.name for one in found]
    one, two = ({"type": "Claim", "name": name} for name in ("one", "two"))
    linked = {"link": "l", "subject": one, "predicate": "supersedes", "object": two}
    table = "subject,subject_type,predicate,object,object_type\n"
    cells = [f"one,Claim,{how},{name},Evidence\n" for how in PREDICATES for name in evidence]
    uuids = {"source_node_uuid": "told", "target_node_uuid": "one"}
    told = {"uuid": "told", "name": "t", "content": "x", "valid_at": "2024-01-01T00:00:00Z"}
    for path in (
        write("claims.csv", table + "".join(cells)),
        write("claims.jsonl", [linked, {**linked, "subject": {"link": "one"}}]),
        write(
            "claims.graphiti", [{**told, "group_id": "g"}, {"uuid": "m", "group_id": "g", **uuids}]
        ),
    ):
        assert take_in(nexus, path).skipped
    assert [one for one in elements(nexus) if one[0] != "Episode"] == before


EPISODE = {
    "name": None,
    "body": "x",
    "source": "text",
    "source_description": " ",
    "reference_time": "2024-01-01T00:00:00.000Z",
}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"body": "x"}, "an episode has the attributes"),
        ({**EPISODE, "body": {"a": 1}}, "body is not a text"),
        ({**EPISODE, "body": None}, "an episode has a body"),
        ({**EPISODE, "source": "rumour"}, "a source: text, json, message"),
        ({**EPISODE, "reference_time": "yesterday"}, "not an ISO 8601 date"),
    ],
)
def test_an_episode_that_is_none_is_refused(
    nexus: Nexus, write: Write, said: object, reason: str
) -> None:
    path = write("e.jsonl", [{"concept": "e", "type": "Episode", "name": "e", "attributes": said}])
    with pytest.raises(RecollectError, match=rf"line 1 .*{reason}"):
        take_in(nexus, path)


def test_an_episode_stays_as_it_was_told(nexus: Nexus, write: Write) -> None:
    line = {"concept": "e", "type": "Episode", "name": "e", "attributes": EPISODE}
    twice_is_once(nexus, write("e.jsonl", [line]))
    before = elements(nexus)
    other = {**line, "metadata": {"sources": ["forged"]}}
    assert take_in(nexus, write("o.jsonl", [other])).updated == 0
    assert elements(nexus) == before


NAMES = st.sampled_from(["a", "b", "c", "Ä", "x\ny", " "])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)  # fmt: skip
MEMBERS = st.dictionaries(st.sampled_from(["p", "q", "valid_from"]), VALUES, max_size=2)
CONCEPTS = st.lists(
    st.builds(PutConcept, st.sampled_from(["T", "U"]), NAMES, MEMBERS, MEMBERS), max_size=5
)
ENDS = st.builds(Key, st.sampled_from(["T", "U"]), NAMES)
LINKS = st.lists(
    st.tuples(ENDS, st.sampled_from(["r", "s"]), ENDS, MEMBERS, MEMBERS, st.sampled_from(["", " ", "k", "k\n2020"]), st.booleans()),
    max_size=5,
)  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(concepts=CONCEPTS, links=LINKS)
def test_any_memory_goes_through_lines(
    tmp_path_factory: pytest.TempPathFactory, concepts: list, links: list
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    with recollect.open(":memory:") as nexus, recollect.open(":memory:") as other:
        nexus.write(concepts)
        for at, (start, predicate, end, said, metadata, key, is_about) in enumerate(links):
            ends = [PutConcept(one.type, one.name) for one in (start, end)]
            put = PutLink(start, predicate, end, said, metadata, key=key, handle="l")
            about = [PutLink(Local("l"), "about", start, {"at": at})] if is_about else []
            nexus.write([*ends, put, *about])
        nexus.write([PutFact(one[0], "fact", one[2], "words") for one in links])
        twice_is_once(other, exported(nexus, folder / "all", "jsonl"), format="jsonl")
        assert elements(other) == elements(nexus)


@pytest.mark.parametrize("format", EXPORT_FORMATS)
@pytest.mark.parametrize("is_dropped", [False, True])
def test_an_export_that_a_purge_meets_fails(nexus: Nexus, format: str, *, is_dropped: bool) -> None:
    nexus.write([PutConcept("Drug", f"{number:04}", id=f"{number}") for number in range(700)])

    def purge(*_: object) -> None:
        if is_dropped and "team" in nexus.groups():
            nexus.drop_group("team")
        elif not is_dropped:
            nexus.purge("600")

    with pytest.raises(RecollectError) as caught:
        hand_out(nexus, BytesIO(), format, progress=purge)
    assert caught.value.code.code == "STORE_BUSY"


class DroppingAtFirst(BytesIO):
    """A stream whose first bytes, before any element, are the end of the group."""

    def __init__(self, nexus: Nexus) -> None:
        super().__init__()
        self._nexus = nexus

    def write(self, told: Buffer, /) -> int:
        if "team" in self._nexus.groups():
            self._nexus.drop_group("team")
        return super().write(told)


@pytest.mark.parametrize("found", [None, Found('FIND(?x) WHERE { ?x {type: "Drug"} }')])
def test_a_group_that_is_dropped_before_its_first_element_is_read_is_told_of(
    nexus: Nexus, found: Found | None
) -> None:
    nexus.write([PutConcept("Drug", "Aspirin")])
    with pytest.raises(RecollectError) as caught:
        hand_out(nexus, DroppingAtFirst(nexus), "jsonl", found)
    assert caught.value.code.code == "STORE_BUSY"
