"""EXPORT: a capsule of what WHERE finds, whole or in pages, that makes it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, note, settings, strategies as st
from tests.reference.copies import living, tell
from tests.reference.graphs import graphs
from tests.reference.times import statements
from tests.reference.writes import merges

import recollect
from recollect.errors import RecollectError
from recollect.kernel.lang import ast
from recollect.model import (
    AsOf,
    Exported,
    Key,
    Merge,
    PutConcept,
    PutLink,
)

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]

ALL = 'EXPORT ?x WHERE { ?x {type: "T"} UNION { ?x {type: "U"} } UNION { ?x (?s, ?p, ?o) } }'


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    with recollect.open(":memory:") as nexus:
        for one in (nexus, nexus.group("decoy")):
            one.write(
                [
                    PutConcept("T", "a", {"n": 1}, {"source": "s"}, id="own"),
                    PutConcept("T", "b"),
                    PutConcept("U", "c"),
                    PutLink(Key("T", "a"), "p", Key("T", "b"), {"k": [1]}, {"m": 1}, id="l"),
                    PutLink("l", "says", Key("U", "c"), id="m"),
                    PutLink(Key("U", "c"), "q", "m", id="n"),
                ]
            )
        nexus.group("decoy").write([PutConcept("T", "decoy")])
        yield nexus


def exported(nexus: recollect.Nexus, text: str, **parameters: str) -> Exported:
    (result,) = nexus.read(text, parameters).results
    assert isinstance(result, Exported)
    return result


def pages(nexus: recollect.Nexus, text: str, limit: int) -> list[Exported]:
    found = [exported(nexus, f"{text} LIMIT {limit}")]
    while (cursor := found[-1].next_cursor) is not None:
        found.append(exported(nexus, f"{text} LIMIT {limit} CURSOR $cursor", cursor=cursor))
    return found


def imported(capsules: Sequence[str]) -> recollect.Nexus:
    copy = recollect.open(":memory:")
    for capsule in capsules:
        copy.write(capsule, on_missing="error")
    return copy


@settings(max_examples=EXAMPLES // 2, suppress_health_check=LARGE)
@given(
    graphs(),
    st.lists(st.one_of(statements, merges()), max_size=5),
    st.sampled_from((None, 1, 2, 3, 5)),
)
def test_pages_imported_in_order_make_an_equal_graph(
    graph: ast.Upsert, changes: list[ast.Mutation], limit: int | None
) -> None:
    with recollect.open(":memory:") as nexus:
        tell(nexus.group("decoy"), [graph])
        tell(nexus, [graph, *changes])
        found = [exported(nexus, ALL)] if limit is None else pages(nexus, ALL, limit)
        note("\n".join(page.capsule for page in found))
        stats = nexus.stats()
        assert sum(page.concepts for page in found) == stats.concepts
        assert sum(page.links for page in found) == stats.links
        if limit is not None:
            assert all(page.concepts + page.links <= limit for page in found)
        with imported([page.capsule for page in found]) as copy:
            assert living(copy, with_ids=False) == living(nexus, with_ids=False)
            for page in found:
                assert copy.write(page.capsule).transaction is None


def test_a_capsule_names_what_it_holds_by_handles_and_the_rest_by_name(
    nexus: recollect.Nexus,
) -> None:
    text = 'EXPORT ?x WHERE { ?x {name: "a"} UNION { ?x (?s, "says" | "q" | "p", ?o) } }'
    assert exported(nexus, text).capsule == (
        "UPSERT {\n"
        '    CONCEPT ?c1 { {type: "T", name: "a"} SET ATTRIBUTES {"n": 1} }'
        ' WITH METADATA {"source": "s"}\n'
        '    PROPOSITION ?l1 { (?c1, "p", {type: "T", name: "b"}) SET ATTRIBUTES {"k": [1]} }'
        ' WITH METADATA {"m": 1}\n'
        '    PROPOSITION ?l2 { (?l1, "says", {type: "U", name: "c"}) }\n'
        '    PROPOSITION ?l3 { ({type: "U", name: "c"}, "q", ?l2) }\n'
        "}\n"
    )
    outside = exported(nexus, 'EXPORT ?x WHERE { ?x (?s, "q", ?o) }')
    assert (outside.concepts, outside.links) == (0, 1)
    nested = '({type: "T", name: "a"}, "p", {type: "T", name: "b"})'
    assert f'({nested}, "says", {{type: "U", name: "c"}})' in outside.capsule


def test_an_import_needs_what_the_capsule_does_not_hold(nexus: recollect.Nexus) -> None:
    capsule = exported(nexus, 'EXPORT ?x WHERE { ?x (?s, "says", ?o) }').capsule
    with recollect.open(":memory:") as copy:
        copy.write([PutConcept("U", "c"), PutConcept("T", "a"), PutConcept("T", "b")])
        with pytest.raises(RecollectError) as caught:
            copy.write(capsule)
        assert caught.value.code.code == "KIP_3002"
        copy.write([PutLink(Key("T", "a"), "p", Key("T", "b"))])
        copy.write(capsule)
        assert copy.stats().links == 2


def test_a_tower_of_links_is_exported_in_pages(nexus: recollect.Nexus) -> None:
    nexus.write(
        [PutLink("n" if at == 0 else f"t{at}", "on", "n", id=f"t{at + 1}") for at in range(90)]
    )
    found = pages(nexus, ALL, 30)
    assert sum(len(page.capsule) for page in found) < 100_000
    with imported([page.capsule for page in found]) as copy:
        assert copy.stats().links == 93


def test_what_the_memory_keeps_itself_is_not_exported(nexus: recollect.Nexus) -> None:
    nexus.write([Merge(Key("T", "a"), Key("T", "b"))])
    found = exported(nexus, ALL)
    assert (found.concepts, found.links) == (2, 3)
    assert "_m" not in found.capsule
    with imported([found.capsule]) as copy:
        assert living(copy, with_ids=False) == living(nexus, with_ids=False)


def test_links_with_a_key_are_left_out_and_said_to_be(nexus: recollect.Nexus) -> None:
    nexus.write([PutLink(Key("T", "a"), "p", Key("T", "b"), key="k")])
    answer = nexus.read(ALL)
    (found,) = answer.results
    assert isinstance(found, Exported)
    assert found.links == 3
    assert [one.code for one in answer.notices] == ["links_left_out"]


def test_what_a_text_may_not_write_is_left_out_and_said_to_be(nexus: recollect.Nexus) -> None:
    nexus.write([PutConcept("Episode", "e"), PutLink("l", "heard_in", Key("Episode", "e"))])
    answer = nexus.read('EXPORT ?x WHERE { ?x {type: "Episode"} UNION { ?x (?s, ?p, ?o) } }')
    (found,) = answer.results
    assert isinstance(found, Exported)
    assert (found.concepts, found.links) == (0, 3)
    assert [one.code for one in answer.notices] == ["owned_left_out"]


def test_nothing_found_is_an_empty_capsule(nexus: recollect.Nexus) -> None:
    found = exported(nexus, 'EXPORT ?x WHERE { ?x {name: "none"} }')
    assert found == Exported("UPSERT {\n}\n", 0, 0)
    assert nexus.write(found.capsule).transaction is None
    assert exported(nexus, f"{ALL} LIMIT 0").next_cursor is None


def test_pages_are_of_one_moment(nexus: recollect.Nexus) -> None:
    first = exported(nexus, f"{ALL} LIMIT 2")
    nexus.write([PutConcept("T", "aa"), PutConcept("T", "b", {"new": 1})])
    nexus.write('DELETE CONCEPT {type: "U", name: "c"} DETACH')
    again = f"{ALL} LIMIT 9 CURSOR $cursor"
    assert first.next_cursor is not None
    second = exported(nexus, again, cursor=first.next_cursor)
    assert (first.concepts + second.concepts, second.links) == (3, 3)
    assert "new" not in second.capsule
    nexus.purge("own")
    second = exported(nexus, again, cursor=first.next_cursor)
    assert (second.concepts, second.links) == (1, 0)


def test_a_cursor_is_of_its_own_question(nexus: recollect.Nexus) -> None:
    cursor = exported(nexus, f"{ALL} LIMIT 2").next_cursor
    assert cursor is not None
    for text in (
        'EXPORT ?x WHERE { ?x {type: "T"} } LIMIT 2 CURSOR $cursor',
        'FIND(?x) WHERE { ?x {type: "T"} } LIMIT 2 CURSOR $cursor',
    ):
        with pytest.raises(RecollectError) as caught:
            nexus.read(text, {"cursor": cursor})
        assert caught.value.code.code == "KIP_1001"
        assert caught.value.span is not None


def test_the_past_is_exported_as_it_was(nexus: recollect.Nexus) -> None:
    before = exported(nexus, ALL)
    nexus.write('DELETE CONCEPT {type: "T", name: "a"} DETACH')
    (then,) = nexus.read(ALL, as_of=AsOf(transaction=1)).results
    assert then == before


def test_an_export_inside_a_text_sees_what_came_before(nexus: recollect.Nexus) -> None:
    text = 'UPSERT { CONCEPT { {type: "T", name: "new"} } } EXPORT ?x WHERE { ?x {name: "new"} }'
    _, found = nexus.write(text).results
    assert isinstance(found, Exported)
    assert (found.concepts, '"new"' in found.capsule) == (1, True)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("EXPORT ?p WHERE { (?s, ?p, ?o) }", "KIP_1001"),
        ('EXPORT ?y WHERE { ?x {type: "T"} }', "KIP_3001"),
        ("EXPORT ?x WHERE { ?x (?s, ?p, ?o) } LIMIT -1", "KIP_1001"),
        ('EXPORT ?x WHERE { ?x (?s, ?p, ?o) } CURSOR "x"', "KIP_1001"),
    ],
)
def test_what_cannot_be_exported_is_refused(nexus: recollect.Nexus, text: str, code: str) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.read(text)
    assert caught.value.code.code == code
    assert caught.value.span is not None


def test_an_export_is_not_explained(nexus: recollect.Nexus) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.explain(ALL)
    assert caught.value.code.code == "KIP_1001"
