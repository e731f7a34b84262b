"""What is exported and imported is the same living graph."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import HealthCheck, given, note, settings, strategies as st
from tests.reference.copies import living, tell
from tests.reference.graphs import graphs
from tests.reference.times import statements

import recollect
from recollect.errors import Notice, RecollectError
from recollect.faces.kip.capsules import (
    Imported,
    export_capsules,
    import_capsules,
    read_capsules,
    write_capsules,
)
from recollect.kernel.lang import ast
from recollect.model import AsOf, ConceptRecord, Instant, Key, PutConcept, PutLink, Rows, Value

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]


def copied(texts: list[str]) -> recollect.Nexus:
    nexus = recollect.open(":memory:")
    for _ in import_capsules(nexus, texts):
        pass
    return nexus


def shown(nexus: recollect.Nexus) -> list[recollect.Concept | recollect.Link]:
    records = nexus.elements.records()
    return [one.concept if isinstance(one, ConceptRecord) else one.link for one in records]


@settings(max_examples=EXAMPLES // 2, suppress_health_check=LARGE)
@given(graphs(), st.lists(statements, max_size=5), st.integers(1, 5))
def test_an_import_into_an_empty_memory_gives_an_equal_graph(
    graph: ast.Upsert, changes: list[ast.Mutation], most: int
) -> None:
    with recollect.open(":memory:") as nexus:
        tell(nexus.group("decoy"), [graph])
        tell(nexus, [graph, *changes])
        texts = list(export_capsules(nexus, most_elements=most))
        note("\n".join(texts))
        with copied(texts) as copy:
            assert living(copy) == living(nexus)
            assert list(export_capsules(copy, most_elements=most)) == texts
            again = [(one.created, one.updated) for one in import_capsules(copy, texts)]
            assert again == [(0, 0)] * len(texts)
            assert living(copy) == living(nexus)


@settings(max_examples=EXAMPLES // 4, suppress_health_check=LARGE)
@given(graphs(), st.lists(statements, max_size=5), st.integers(0, 6))
def test_an_export_of_the_past_gives_the_graph_of_then(
    graph: ast.Upsert, changes: list[ast.Mutation], number: int
) -> None:
    with recollect.open(":memory:") as nexus:
        tell(nexus, [graph, *changes])
        then = AsOf(transaction=number)
        with copied(list(export_capsules(nexus, as_of=then))) as copy:
            assert living(copy) == living(nexus, then)


def test_capsules_read_as_they_were_written() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("T", f"// capsule {place}\n") for place in range(5)])
        texts = list(export_capsules(nexus, most_elements=2))
    stream = io.StringIO()
    assert list(write_capsules(texts, stream)) == [1, 2, 3]
    read = list(read_capsules(io.StringIO(stream.getvalue())))
    assert [text.partition("\n")[2] for text in read] == texts


def test_another_text_is_one_capsule() -> None:
    text = 'UPSERT { CONCEPT @a { {type: "T", name: "a"} } }\n\nUPSERT { }\n'
    assert list(read_capsules(io.StringIO(text))) == [text]
    assert list(read_capsules(io.StringIO(""))) == []


@pytest.mark.parametrize("comment", ["// capsule form: how it is sold", "// capsule 2"])
def test_a_comment_inside_a_statement_is_no_mark(comment: str) -> None:
    text = f"""\
UPSERT {{
CONCEPT @a {{ {{type: "T", name: "a"}} }}
{comment}
CONCEPT @b {{ {{type: "T", name: "b"}} }}
}}
"""
    assert list(read_capsules(io.StringIO(text))) == [text]
    marked = [f"// capsule {number}\n{text}" for number in (1, 2, 10)]
    assert list(read_capsules(io.StringIO("".join(marked)))) == marked


@pytest.mark.parametrize("head", ["// who wrote it\n", "\n", "// licence\n\n// and more\n\n"])
def test_comments_and_blank_lines_may_stand_above_the_first_mark(head: str) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("T", f"t{place}") for place in range(4)])
        stream = io.StringIO()
        assert list(write_capsules(export_capsules(nexus, most_elements=2), stream)) == [1, 2]
    text = head + stream.getvalue()
    with copied(list(read_capsules(io.StringIO(text)))) as copy:
        assert copy.stats().concepts == 4
    assert "".join(read_capsules(io.StringIO(text))) == text


def test_what_a_query_finds_brings_what_it_stands_on(medicine: recollect.Nexus) -> None:
    query = 'FIND(?l) WHERE { ?l ({name: $drug}, "treats", ?s) }'
    (text,) = export_capsules(medicine, query, {"drug": "Aspirin"})
    with copied([text]) as copy:
        (answer,) = copy.read('FIND(?n) WHERE { ?c {type: "Drug"} ATTR(?c, "name", ?n) }').results
        assert isinstance(answer, Rows)
        assert answer.rows == [("Aspirin",)]
        links = copy.read("FIND(?l) WHERE { ?l (?s, ?p, ?o) }").results[0]
        found = medicine.read(query, {"drug": "Aspirin"}).results[0]
        assert isinstance(links, Rows)
        assert isinstance(found, Rows)
        assert len(links.rows) == len(found.rows) > 0


def test_a_query_that_finds_values_is_refused(medicine: recollect.Nexus) -> None:
    query = 'FIND(?n) WHERE { ?c {type: "Drug"} ATTR(?c, "name", ?n) }'
    with pytest.raises(RecollectError) as caught:
        list(export_capsules(medicine, query))
    assert caught.value.code.code == "KIP_1001"


def test_an_export_as_of_a_valid_time_keeps_the_ends_of_links() -> None:
    with recollect.open(":memory:") as nexus:
        old = {"valid_from": "1990", "valid_until": "2000"}
        nexus.write([PutConcept("T", "old", metadata=old), PutConcept("T", "new")])
        nexus.write([PutLink(Key("T", "new"), "follows", Key("T", "old"))])
        (text,) = export_capsules(nexus, as_of={"valid": "2020"})
        with copied([text]) as copy:
            assert living(copy) == living(nexus)
        (text,) = export_capsules(nexus, 'FIND(?c) WHERE { ?c {name: "new"} }')
        assert "old" not in text


def test_links_with_a_key_and_what_is_said_of_them_are_left_out() -> None:
    with recollect.open(":memory:") as nexus:
        ends = Key("T", "a"), "p", Key("T", "b")
        nexus.write([PutConcept("T", "a"), PutConcept("T", "b"), PutLink(*ends)])
        plain = living(nexus)
        keyed = PutLink(*ends, key="second", id="k")
        nexus.write([keyed, PutLink("k", "about", Key("T", "a"), id="m"), PutLink("m", "q", "k")])
        with copied(list(export_capsules(nexus))) as copy:
            assert living(copy) == plain


def test_what_a_text_may_not_write_is_left_out_with_the_links_at_it_and_counted() -> None:
    notices: list[Notice] = []
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("T", "a"), PutConcept("Claim", "c"), PutConcept("Evidence", "e")])
        claim = Key("Claim", "c")
        nexus.write([PutLink(claim, "supported_by", Key("Evidence", "e"))])
        nexus.write([PutLink(Key("T", "a"), "heeds", claim)])
        (text,) = export_capsules(nexus, notices=notices)
        with copied([text]) as copy:
            assert [one.concept.name for one in copy.elements.records()] == ["a"]
    assert [one.code for one in notices] == ["owned_left_out"]
    assert notices[0].message.endswith(": 4")


def test_metadata_goes_to_nobody_else() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("T", "a", metadata={"source": "x"}), PutConcept("T", "b")])
        nexus.write([PutLink(Key("T", "a"), "p", Key("T", "b"))])
        with copied(list(export_capsules(nexus))) as copy:
            assert [one.metadata for one in shown(copy)] == [{"source": "x"}, {}, {}]


def test_inherited_fact_time_is_not_set_by_an_import() -> None:
    text = 'UPSERT { CONCEPT @a { {type: "T", name: "a"} } } WITH METADATA { valid_from: "2024" }'
    now = AsOf(valid=Instant(0))
    with recollect.open(":memory:") as nexus:
        nexus.write(text)
        with copied(list(export_capsules(nexus))) as copy:
            question = 'FIND(?f) WHERE { ?a {type: "T"} META(?a, "valid_from", ?f) }'
            (answer,) = copy.read(question, as_of=now).results
            assert isinstance(answer, Rows)
            assert answer.rows == [("2024",)]


def test_a_fact_time_that_the_metadata_no_longer_tells_is_kept() -> None:
    known = 'UPSERT { CONCEPT @a { {type: "T", name: "a"} } WITH METADATA { z: 1, valid_from: "2020" } }'
    vague = (
        'UPSERT { CONCEPT @a { {type: "T", name: "a"} } WITH METADATA { valid_from: "one day" } }'
    )
    with recollect.open(":memory:") as nexus:
        nexus.write(known)
        nexus.write(vague)
        texts = list(export_capsules(nexus))
        with copied(texts) as copy:
            assert list(copy.elements.records(as_of=AsOf(valid=Instant(0)))) == []
            assert living(copy) == living(nexus)
            assert list(export_capsules(copy)) == texts


def test_a_deep_tower_of_links_is_exported_across_capsules() -> None:
    with recollect.open(":memory:") as nexus:
        changes = [PutConcept("T", "a"), PutLink(Key("T", "a"), "p", Key("T", "a"), id="0")]
        changes += [PutLink(f"{n}", "p", f"{n}", id=f"{n + 1}") for n in range(200)]
        nexus.write(changes)
        texts = list(export_capsules(nexus, most_elements=50))
        assert sum(map(len, texts)) < 200_000
        with copied(texts) as copy:
            assert copy.stats().links == 201


def test_an_import_that_names_what_is_not_there_fails_whole() -> None:
    text = 'UPSERT { CONCEPT @a { {type: "T", name: "a"} SET PROPOSITIONS { ("p", {type: "T", name: "b"}) } } }'
    with recollect.open(":memory:") as nexus:
        with pytest.raises(RecollectError) as caught:
            list(import_capsules(nexus, [text]))
        assert caught.value.code.code == "KIP_3002"
        assert nexus.stats().concepts == 0


@pytest.mark.parametrize(
    "other", ['DELETE CONCEPT {type: "T", name: "a"} DETACH', "DESCRIBE PRIMER"]
)
def test_what_holds_more_than_upsert_is_no_capsule(other: str) -> None:
    text = 'UPSERT { CONCEPT @a { {type: "T", name: "a"} } }'
    with recollect.open(":memory:") as nexus:
        with pytest.raises(RecollectError) as caught:
            list(import_capsules(nexus, [f"{text}\n{other}"]))
        assert (caught.value.code.code, caught.value.hint) == ("KIP_1001", "recollect run")
        assert caught.value.span is not None
        assert caught.value.span.start == len(text) + 1
        assert nexus.stats().concepts == 0
        list(import_capsules(nexus, [f"// said before\n{text}"], actor="ann", request_id="r"))
        (logged,) = nexus.changes()
        assert (logged.transaction.actor, logged.transaction.request_id) == ("ann", "r")


def nested(levels: int, inmost: Value) -> Value:
    value = inmost
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize("inmost", [[], {}, [1], {"a": 1}])
def test_a_value_may_nest_as_deep_in_a_batch_as_in_a_text_and_is_imported_again(
    inmost: Value,
) -> None:
    a = Key("T", "a")
    with recollect.open(":memory:") as nexus:
        deepest = nested(63, inmost)
        said = {"v": deepest}
        nexus.write([PutConcept("T", "a", said, said), PutLink(a, "p", a, said, said)])
        with copied(list(export_capsules(nexus))) as copy:
            assert living(copy) == living(nexus)
        copy_of = 'UPSERT { CONCEPT { {type: "T", name: "b"} SET ATTRIBUTES { v: $v } } }'
        nexus.write(copy_of, {"v": deepest})
        deeper = nested(64, inmost)
        for refused in (
            lambda: nexus.write([PutConcept("T", "a", {"v": deeper})]),
            lambda: nexus.write(copy_of, {"v": deeper}),
            lambda: nexus.write(copy_of.replace("$v", json.dumps(deeper))),
        ):
            with pytest.raises(RecollectError) as caught:
                refused()
            assert caught.value.code.code == "KIP_4002"


def test_an_import_does_not_count_what_its_statements_take_back() -> None:
    concept = 'CONCEPT { {type: "T", name: "a"} SET ATTRIBUTES { x: $ } }'
    text = "".join(f"UPSERT {{ {concept} }}\n".replace("$", value) for value in "12")
    with recollect.open(":memory:") as nexus:
        assert list(import_capsules(nexus, [text])) == [Imported(1, 1, 0)]
        assert list(import_capsules(nexus, [text])) == [Imported(1, 0, 0)]
        nexus.write([PutConcept("T", "a", {"x": 3})])
        assert list(import_capsules(nexus, [text, text])) == [Imported(1, 0, 1), Imported(2, 0, 1)]
