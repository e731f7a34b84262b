"""MERGE: what becomes of the links, the attributes and the names, then and before."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import parse_instant
from recollect.model import (
    AsOf,
    BatchReport,
    Delete,
    Hits,
    Key,
    Local,
    Merge,
    MergeReport,
    Operation,
    PutConcept,
    PutFact,
    PutLink,
    Reference,
    Rows,
)

JS, JAVASCRIPT, ANN, WEB = (
    Key("Skill", "JS"),
    Key("Skill", "JavaScript"),
    Key("Person", "Ann"),
    Key("Skill", "Web"),
)
CONCEPTS = [
    PutConcept("Skill", "JS", {"level": 1, "note": "short"}, {"source": "cv"}),
    PutConcept("Skill", "JavaScript", {"level": 2}),
    PutConcept("Person", "Ann"),
    PutConcept("Skill", "Web"),
]
MERGE = """
MERGE CONCEPT ?dup INTO ?kept
WHERE { ?dup {type: "Skill", name: "JS"} ?kept {type: "Skill", name: "JavaScript"} }
"""


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    with recollect.open(":memory:") as nexus:
        for one in (nexus, nexus.group("decoy")):
            one.write(CONCEPTS)
        nexus.group("decoy").write([PutLink(ANN, "knows", JS)])
        yield nexus
        assert nexus.group("decoy").stats().links == 1
        assert nexus.verify().is_whole
        assert nexus.doctor().findings == ()


def merge(nexus: recollect.Nexus) -> tuple[int, int, int]:
    (report,) = nexus.write(MERGE).results
    assert isinstance(report, MergeReport)
    return report.links_repointed, report.links_deduplicated, report.attributes_filled


def elements(nexus: recollect.Nexus, where: str, as_of: AsOf | None = None) -> list[object]:
    (result,) = nexus.read(f"FIND(?x) WHERE {{ {where} }}", as_of=as_of).results
    assert isinstance(result, Rows)
    return [row[0] for row in result.rows]


def links(nexus: recollect.Nexus, as_of: AsOf | None = None) -> list[recollect.Link]:
    return [
        one for one in elements(nexus, "?x (?s, ?p, ?o)", as_of) if isinstance(one, recollect.Link)
    ]


def concept(nexus: recollect.Nexus, name: str) -> recollect.Concept:
    (found,) = elements(nexus, f'?x {{name: "{name}"}}')
    assert isinstance(found, recollect.Concept)
    return found


def put(nexus: recollect.Nexus, *changes: PutLink) -> tuple[str, ...]:
    (report,) = nexus.write(list(changes)).results
    assert isinstance(report, BatchReport)
    return report.ids


def test_links_go_on_at_the_target_under_their_ids(nexus: recollect.Nexus) -> None:
    ids = put(
        nexus,
        PutLink(ANN, "knows", JS, {"since": 2020}, {"confidence": 0.5}),
        PutLink(JS, "is_part_of", WEB, id="given"),
    )
    assert merge(nexus) == (2, 0, 1)
    kept = concept(nexus, "JavaScript").id
    found = {one.id: one for one in links(nexus)}
    assert (found[ids[0]].object, found["given"].subject) == (kept, kept)
    assert found[ids[0]].attributes == {"since": 2020}
    assert found[ids[0]].metadata["confidence"] == 0.5
    assert elements(nexus, '?x {name: "JS"}') == []


def test_the_graph_of_before_is_as_it_was(nexus: recollect.Nexus) -> None:
    put(nexus, PutLink(ANN, "knows", JS), PutLink(JS, "is_part_of", WEB))
    before, known = links(nexus), concept(nexus, "JS")
    merge(nexus)
    then = AsOf(transaction=2)
    assert links(nexus, then) == before
    assert elements(nexus, '?x {name: "JS"}', then) == [known]


def test_a_moved_link_tells_where_it_was_and_its_versions_go_on(nexus: recollect.Nexus) -> None:
    (id_,) = put(nexus, PutLink(ANN, "knows", JS))
    put(nexus, PutLink(ANN, "knows", JS, {"n": 1}))
    old = concept(nexus, "JS").id
    merge(nexus)
    (link,) = links(nexus)
    assert link.metadata == {"_moved_from": {"concept": old, "version": 2}}
    first, second = nexus.history(id_)
    assert [one.operation for one in first.versions][-1] is Operation.CLOSE
    assert [one.number for one in second.versions] == [3]
    guarded = "UPSERT { PROPOSITION { (id: $id) EXPECT VERSION $v SET ATTRIBUTES { n: 2 } } }"
    with pytest.raises(RecollectError) as caught:
        nexus.write(guarded, {"id": id_, "v": 2})
    assert caught.value.code.code == "KIP_3005"
    nexus.write(guarded, {"id": id_, "v": 3})
    assert links(nexus)[0].attributes == {"n": 2}


def test_links_about_links_follow_through_any_number_of_steps(nexus: recollect.Nexus) -> None:
    ids = put(
        nexus,
        PutLink(ANN, "knows", JS, handle="one"),
        PutLink(ANN, "doubts", Local("one"), handle="two"),
        PutLink(Local("two"), "because_of", Local("one")),
    )
    assert merge(nexus) == (1, 0, 1)
    found = {one.id: one for one in links(nexus)}
    assert list(found) == list(ids)
    assert found[ids[1]].object == ids[0]
    assert (found[ids[2]].subject, found[ids[2]].object) == (ids[1], ids[0])


def test_of_two_links_that_say_the_same_the_targets_stays(nexus: recollect.Nexus) -> None:
    source, target, *_ = put(
        nexus,
        PutLink(ANN, "knows", JS, {"a": 1, "b": 1}, {"m": 1}, handle="one"),
        PutLink(ANN, "knows", JAVASCRIPT, {"b": 2}, {"m": 2, "k": None}),
        PutLink(ANN, "doubts", Local("one")),
    )
    assert merge(nexus) == (1, 1, 1)
    stays, about = links(nexus)
    assert (stays.id, stays.attributes) == (target, {"b": 2, "a": 1})
    assert stays.metadata == {"m": 2, "k": None}
    assert about.object == target
    assert elements(nexus, f'?x (id: "{source}")') == []


def test_fact_time_that_the_target_lacks_is_filled(nexus: recollect.Nexus) -> None:
    put(
        nexus,
        PutLink(ANN, "knows", JS, metadata={"valid_from": "2020"}),
        PutLink(ANN, "knows", JAVASCRIPT),
    )
    merge(nexus)
    assert links(nexus, AsOf(valid=parse_instant("2019"))) == []
    assert len(links(nexus, AsOf(valid=parse_instant("2021")))) == 1


def test_links_of_one_triple_become_one_only_under_one_key(nexus: recollect.Nexus) -> None:
    put(
        nexus,
        PutLink(ANN, "knows", JS, {"n": 1}, key="x"),
        PutLink(ANN, "knows", JS, {"n": 2}, key="y"),
        PutLink(ANN, "knows", JAVASCRIPT, {"n": 3}, key="y"),
        PutLink(ANN, "knows", JAVASCRIPT, {"n": 4}),
    )
    assert merge(nexus) == (1, 1, 1)
    assert sorted(str(one.attributes["n"]) for one in links(nexus)) == ["1", "3", "4"]


def test_links_between_the_two_become_links_of_one_with_itself(nexus: recollect.Nexus) -> None:
    put(
        nexus,
        PutLink(JS, "same_as", JAVASCRIPT),
        PutLink(JAVASCRIPT, "same_as", JS),
        PutLink(JS, "same_as", JS),
    )
    assert merge(nexus) == (1, 2, 1)
    kept = concept(nexus, "JavaScript").id
    assert [(one.subject, one.object) for one in links(nexus)] == [(kept, kept)]


def test_the_targets_link_stays_when_both_must_move(nexus: recollect.Nexus) -> None:
    put(
        nexus,
        PutLink(JS, "is_part_of", WEB, handle="part"),
        PutLink(JS, "explains", Local("part"), {"of": "source"}),
        PutLink(JAVASCRIPT, "explains", Local("part"), {"of": "target"}),
    )
    assert merge(nexus) == (1, 1, 1)
    assert [one.attributes for one in links(nexus)] == [{}, {"of": "target"}]


def test_names_are_kept_as_aliases_and_in_the_trail(nexus: recollect.Nexus) -> None:
    nexus.write([PutConcept("Skill", "JS", {"aliases": ["Ecma", "js"]})])
    nexus.write([PutConcept("Skill", "JavaScript", {"aliases": ["js"]})])
    assert merge(nexus) == (0, 0, 1)
    kept = concept(nexus, "JavaScript")
    assert kept.attributes == {"level": 2, "aliases": ["js", "Ecma", "JS"], "note": "short"}
    assert kept.metadata == {"_merged_from": ["Skill:JS"]}
    (hits,) = nexus.search("Ecma").results
    assert isinstance(hits, Hits)
    assert [hit.element for hit in hits.hits] == [kept]


def test_aliases_that_the_target_lacks_are_filled_like_any_attribute(
    nexus: recollect.Nexus,
) -> None:
    nexus.write([PutConcept("Skill", "JS", {"aliases": ["Ecma"]})])
    assert merge(nexus) == (0, 0, 2)
    kept = concept(nexus, "JavaScript")
    assert kept.attributes == {"level": 2, "note": "short", "aliases": ["Ecma", "JS"]}


def test_the_trail_goes_through_a_chain_of_merges(nexus: recollect.Nexus) -> None:
    nexus.write([PutConcept("Skill", "ES"), PutLink(ANN, "knows", Key("Skill", "ES"))])
    (id_,) = [one.id for one in links(nexus)]
    nexus.write([Merge(Key("Skill", "ES"), JS)])
    merge(nexus)
    query = 'FIND(?m) WHERE { ?x {name: "JavaScript"} META(?x, "_merged_from", ?m) }'
    (answer,) = nexus.read(query).results
    assert isinstance(answer, Rows)
    assert answer.rows == [(["Skill:ES", "Skill:JS"],)]
    assert [one.id for one in links(nexus)] == [id_]
    assert len(nexus.history(id_)) == 3


def test_two_merges_in_one_text_leave_no_trace_of_what_was_between(nexus: recollect.Nexus) -> None:
    nexus.write([PutConcept("Skill", "ES"), PutLink(ANN, "knows", Key("Skill", "ES"))])
    (id_,) = [one.id for one in links(nexus)]
    first = MERGE.replace('"JavaScript"', '"JS"', 1).replace('"JS"', '"ES"', 1)
    nexus.write(f"{first} FIND(?x) WHERE {{ ?x (?s, ?p, ?o) }} {MERGE}")
    assert [one.id for one in links(nexus)] == [id_]
    assert len(nexus.history(id_)) == 2


def test_a_concept_and_itself_are_one_already(nexus: recollect.Nexus) -> None:
    text = 'MERGE CONCEPT ?a INTO ?b WHERE { ?a {name: "JS"} ?b {name: "JS"} }'
    answer = nexus.write(text)
    assert answer.results == (MergeReport(0, 0, 0),)
    assert answer.transaction is None


def test_a_merge_that_was_done_says_so(nexus: recollect.Nexus) -> None:
    old = concept(nexus, "JS").id
    merge(nexus)
    for source in ('type: "Skill", name: "JS"', 'name: "JS"', f'id: "{old}"'):
        text = MERGE.replace('type: "Skill", name: "JS"', source)
        error = refused(nexus, text)
        assert error.code.code == "KIP_3002"
        assert "merged into" in error.hint
    other = refused(nexus, MERGE.replace('"JS"', '"Java"'))
    assert (other.code.code, "merged into" in other.hint) == ("KIP_3002", False)


def test_what_is_not_there_is_corrected_by_what_named_it(nexus: recollect.Nexus) -> None:
    named = {'type: "Wish"': "type", 'type: "Wish", name: "JS"': "name", 'id: "Wish"': "id"}
    for source, part in named.items():
        error = refused(nexus, MERGE.replace('type: "Skill", name: "JS"', source))
        assert error.hint == f"create it first, or correct the {part}"


def refused(nexus: recollect.Nexus, text: str) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        nexus.write(text)
    assert caught.value.span is not None
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ('?a {type: "Skill"} ?b {name: "Web"}', "KIP_3003"),
        ('?a {name: "Web"} ?b {type: "Skill"}', "KIP_3003"),
        ('?a {name: "JS"} ?b {name: "Ann"}', "KIP_2002"),
        ('?a {name: "JS"} ?b {name: "Nobody"}', "KIP_3002"),
        ('?a {name: "JS"} ?b {name: "Web"} (?a, "p", ?b)', "KIP_3002"),
        ('?a {name: "JS"}', "KIP_3001"),
        ('?a {name: "JS"} ?b (?s, "knows", ?o)', "KIP_1001"),
        ('?a {name: "JS"} ?c {name: "Web"} ATTR(?c, "name", ?b)', "KIP_1001"),
    ],
)
def test_what_is_not_two_concepts_of_a_type_is_refused(
    nexus: recollect.Nexus, where: str, code: str
) -> None:
    put(nexus, PutLink(ANN, "knows", WEB))
    before = nexus.stats().transactions
    assert refused(nexus, f"MERGE CONCEPT ?a INTO ?b WHERE {{ {where} }}").code.code == code
    assert nexus.stats().transactions == before


def test_nobody_writes_what_the_memory_keeps_itself(nexus: recollect.Nexus) -> None:
    put(nexus, PutLink(ANN, "knows", JS))
    merge(nexus)
    for text in (
        'DELETE METADATA {"_merged_from"} FROM ?x WHERE { ?x {type: "Skill"} }',
        'UPSERT { CONCEPT { {type: "Skill", name: "JavaScript"} } WITH METADATA {_merged_from: []} }',
        'UPDATE ?x SET METADATA {_moved_from: 1} WHERE { ?x (?s, "knows", ?o) }',
        'UPSERT { CONCEPT { {type: "Skill", name: "JavaScript"} } } WITH METADATA {_version: 9}',
    ):
        error = refused(nexus, text)
        assert error.code.code == "KIP_2002"
        assert '"_' in error.message
    update = 'UPDATE ?x SET METADATA { source: "book" } WHERE { ?x {name: "JavaScript"} }'
    nexus.write(update)
    trail = {"_merged_from": ["Skill:JS"], "source": "book"}
    assert concept(nexus, "JavaScript").metadata == trail


def test_a_dump_of_merged_concepts_is_restored(nexus: recollect.Nexus) -> None:
    put(nexus, PutLink(ANN, "knows", JS))
    merge(nexus)
    stream = io.BytesIO()
    nexus.dump(stream)
    stream.seek(0)
    with recollect.open(":memory:") as copy:
        copy.restore(stream)
        assert links(copy) == links(nexus)
        assert concept(copy, "JavaScript") == concept(nexus, "JavaScript")
        assert copy.verify().is_whole


def test_a_version_changed_behind_the_log_is_found_on_a_moved_link_too(
    nexus: recollect.Nexus,
) -> None:
    put(nexus, PutLink(ANN, "knows", JS))
    merge(nexus)
    stream = io.BytesIO()
    nexus.dump(stream)
    changed = stream.getvalue().replace(b'"version":2,"born_at":3', b'"version":1,"born_at":3')
    assert changed != stream.getvalue()
    with recollect.open(":memory:") as copy, pytest.raises(RecollectError) as caught:
        copy.restore(io.BytesIO(changed))
    assert "does not agree with its log" in caught.value.message


def test_a_batch_merges_as_a_text_does(nexus: recollect.Nexus) -> None:
    put(nexus, PutLink(ANN, "knows", JS), PutLink(ANN, "knows", JAVASCRIPT))
    (report,) = nexus.write([Merge(JS, JAVASCRIPT)]).results
    assert isinstance(report, BatchReport)
    assert report.ids == (concept(nexus, "JavaScript").id,)
    assert (report.created, report.updated, report.closed) == (0, 1, 2)
    (again,) = nexus.write([Merge(JAVASCRIPT, JAVASCRIPT)]).results
    assert isinstance(again, BatchReport)
    assert (again.updated, again.closed) == (0, 0)


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        (JS, ANN, "KIP_2002"),
        (JS, Key("Skill", "None"), "KIP_3002"),
        ("link", JS, "INVALID_ARGUMENT"),
        (JS, "link", "INVALID_ARGUMENT"),
    ],
)
def test_a_batch_refuses_what_a_text_refuses(
    nexus: recollect.Nexus, source: Reference, target: Reference, code: str
) -> None:
    put(nexus, PutLink(ANN, "knows", JS, id="link"))
    with pytest.raises(RecollectError) as caught:
        nexus.write([Delete(WEB), Merge(source, target)])
    assert caught.value.code.code == code
    assert len(elements(nexus, '?x {name: "Web"}')) == 1


def test_a_purge_by_id_takes_the_links_former_life_too(nexus: recollect.Nexus) -> None:
    (id_,) = put(nexus, PutLink(ANN, "knows", JS, {"secret": "quark"}))
    merge(nexus)
    assert nexus.purge(id_).links == 2
    assert links(nexus, AsOf(transaction=2)) == []


def test_what_goes_on_beside_what_is_newer_is_told_as_it_stands_in_the_end(
    tmp_path: Path,
) -> None:
    functional = 'UPSERT { CONCEPT ?p { {type: "$PropositionType", name: "lives_in"} SET ATTRIBUTES { functional: true } } }'
    told = {"Ann": ("Rome", "2020"), "Ana": ("Ulm", "2022"), "Anna": ("Bonn", "2021")}
    with recollect.open(tmp_path / "memory.db") as nexus:
        nexus.write(functional)
        for name, (city, year) in told.items():
            person, place = Key("Person", name), Key("City", city)
            nexus.write([PutConcept("Person", name), PutConcept("City", city)])
            nexus.write([PutFact(person, "lives_in", place, metadata={"valid_from": year})])
        into = [Merge(Key("Person", name), ANN) for name in ("Ana", "Anna")]
        notices = nexus.write(into, dry_run=True).notices
        assert [one.message.split(" (")[0] for one in notices] == [
            "Ann lives_in Rome",
            "Ann lives_in Bonn",
        ]
        assert '"at": "2021-' in str(notices[0].hint)
        assert not nexus.write([into[0], Delete(ANN)]).notices
