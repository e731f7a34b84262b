from __future__ import annotations

import apsw
import pytest
from tests.kernel.write.memory import Memory
from tests.reference.run import Reference

import recollect
from recollect.errors import RecollectError
from recollect.model import PutLink, Skipped

DRUG = """
UPSERT {
    CONCEPT @drug {
        {type: "Drug", name: "Aspirin"}
        SET ATTRIBUTES { risk: 2, forms: ["tablet"] }
        SET PROPOSITIONS { ("treats", @pain) WITH METADATA { confidence: 0.9 } }
    }
    CONCEPT @pain { {type: "Symptom", name: "Headache"} }
}
WITH METADATA { source: "book", confidence: 0.5 }
"""


def refused(memory: Memory, text: str, code: str, **options: str) -> RecollectError:
    before = memory.everything()
    with pytest.raises(RecollectError) as caught:
        memory.write(text, **options)  # type: ignore[arg-type]
    assert caught.value.code.code == code
    assert memory.everything() == before
    return caught.value


def test_an_upsert_creates_concepts_and_links_with_inherited_metadata(memory: Memory) -> None:
    report = memory.write(DRUG).upsert
    assert memory.concepts() == {
        "Drug Aspirin": ({"risk": 2, "forms": ["tablet"]}, {"source": "book", "confidence": 0.5}),
        "Symptom Headache": ({}, {"source": "book", "confidence": 0.5}),
    }
    assert memory.links() == [
        ("Aspirin treats Headache", {}, {"source": "book", "confidence": 0.9})
    ]
    assert (report.blocks, report.created, report.updated, report.skipped) == (2, 3, 0, ())
    assert len(report.concepts) == 2
    assert len(report.links) == 1


def test_a_second_run_changes_nothing(memory: Memory) -> None:
    memory.write(DRUG)
    before = memory.everything()
    again = memory.write(DRUG)
    assert again.number is None
    assert (again.upsert.created, again.upsert.updated) == (0, 0)
    assert memory.everything() == before


def test_a_link_that_waits_for_its_end_is_merged_where_it_stands_in_the_text(
    memory: Memory,
) -> None:
    text = """
        UPSERT {
            CONCEPT @a { {type: "T", name: "a"} }
            CONCEPT @b { {type: "T", name: "b"} }
            PROPOSITION @h1 { ((@b, "p", @b), "p", @a) } WITH METADATA { s: 1 }
            PROPOSITION @h0 { (@b, "p", @b) }
            PROPOSITION @h2 { (@h0, "p", @a) } WITH METADATA { s: 2 }
        }
    """
    memory.write(text)
    assert ("(b p b) p a", {}, {"s": 2}) in memory.links()
    assert memory.write(text).number is None


def test_an_update_merges_key_by_key(memory: Memory) -> None:
    memory.write(DRUG)
    report = memory.write("""
        UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"}
            SET ATTRIBUTES { risk: null, forms: [], brand: {maker: "B"} } } }
    """).upsert
    attributes, metadata = memory.concepts()["Drug Aspirin"]
    assert attributes == {"risk": None, "forms": [], "brand": {"maker": "B"}}
    assert metadata == {"source": "book", "confidence": 0.5}
    assert (report.created, report.updated) == (0, 1)


def test_one_whole_number_and_one_real_are_two_contents(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { n: 1 } } }')
    written = memory.write(
        'UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { n: 1.0 } } }'
    )
    assert written.upsert.updated == 1
    written = memory.write(
        'UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { n: true } } }'
    )
    assert written.upsert.updated == 1


@pytest.mark.parametrize(("first", "second"), [("0.0", "-0.0"), ("-0.0", "0.0"), ("0", "-0.0")])
def test_zeros_of_two_signs_are_two_contents(memory: Memory, first: str, second: str) -> None:
    text = 'UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { n: %s } } }'
    memory.write(text % first)
    assert memory.write(text % second).upsert.updated == 1
    assert repr(memory.concepts()["T A"][0]) == f"{{'n': {second}}}"
    assert memory.write(text % second).number is None


def test_the_order_of_keys_in_an_object_is_no_change(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { o: {a: 1, b: 2} } } }')
    again = 'UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { o: {b: 2, a: 1} } } }'
    assert memory.write(again).number is None


def test_blocks_of_one_concept_merge_in_the_order_of_the_text(memory: Memory) -> None:
    report = memory.write("""
        UPSERT {
            CONCEPT @one { {type: "T", name: "A"} SET ATTRIBUTES { x: 1, y: 1 } }
            CONCEPT @two { {type: "T", name: "A"} SET ATTRIBUTES { y: 2 } }
        }
    """).upsert
    assert memory.concepts() == {"T A": ({"x": 1, "y": 2}, {})}
    assert len(report.concepts) == 1


def test_inner_metadata_overrides_outer_even_with_null(memory: Memory) -> None:
    memory.write("""
        UPSERT {
            CONCEPT @a {
                {type: "T", name: "A"}
                SET PROPOSITIONS { ("p", @a) WITH METADATA { three: null } }
            } WITH METADATA { two: null, three: 3 }
        } WITH METADATA { one: 1, two: 2 }
    """)
    assert memory.concepts() == {"T A": ({}, {"one": 1, "two": None, "three": 3})}
    assert memory.links() == [("A p A", {}, {"one": 1, "two": None, "three": None})]


def test_handles_and_inline_references_may_come_in_any_order(memory: Memory) -> None:
    text = """
        UPSERT {
            CONCEPT @user { {type: "User", name: "U"} SET PROPOSITIONS {
                ("stated", @claim)
                ("doubts", ({type: "Drug", name: "D"}, "causes", {type: "Symptom", name: "S"}))
            } }
            PROPOSITION @outer { (@claim, "contradicts",
                ({type: "Drug", name: "D"}, "causes", {type: "Symptom", name: "S"})) }
            PROPOSITION @claim { (@drug, "treats", @symptom) }
            CONCEPT @drug { {type: "Drug", name: "D"} SET PROPOSITIONS { ("causes", @symptom) } }
            CONCEPT @symptom { {type: "Symptom", name: "S"} }
        }
    """
    report = memory.write(text).upsert
    assert {text for text, *_ in memory.links()} == {
        "D treats S",
        "D causes S",
        "(D treats S) contradicts (D causes S)",
        "U stated (D treats S)",
        "U doubts (D causes S)",
    }
    assert report.skipped == ()
    assert report.created == 8
    assert memory.write(text).number is None


def test_a_long_chain_of_propositions_in_reverse_order_is_put(memory: Memory) -> None:
    length = 2000
    blocks = [f'PROPOSITION @l{n} {{ (@l{n - 1}, "about", @a) }}' for n in range(length, 0, -1)]
    memory.write(f"""
        UPSERT {{
            {" ".join(blocks)}
            PROPOSITION @l0 {{ (@a, "about", @a) }}
            CONCEPT @a {{ {{type: "T", name: "A"}} }}
        }}
    """)
    assert memory.rows("SELECT count(*) FROM link WHERE group_id = :group") == [(length + 1,)]


def test_a_missing_target_of_set_propositions_is_skipped_and_reported(memory: Memory) -> None:
    report = memory.write("""
        UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS {
            ("p", {type: "T", name: "Ghost"})
            ("q", ({type: "T", name: "A"}, "never", {id: "nobody"}))
        } } }
    """).upsert
    assert report.skipped == (
        Skipped("a", "p", {"type": "T", "name": "Ghost"}),
        Skipped("a", "q", [{"type": "T", "name": "A"}, "never", {"id": "nobody"}]),
    )
    assert memory.links() == []


def test_a_missing_target_may_be_made_an_error(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "T", name: "Ghosts"} } }')
    text = 'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", {type: "T", name: "Ghost"}) } } }'
    error = refused(memory, text, "KIP_3002", on_missing="error")
    assert error.known == ("Ghosts",)
    assert error.span is not None
    assert text[error.span.start : error.span.end] == '{type: "T", name: "Ghost"}'


def test_a_proposition_block_with_a_missing_end_aborts_the_statement(memory: Memory) -> None:
    text = """
        UPSERT {
            CONCEPT @a { {type: "T", name: "A"} }
            PROPOSITION @first { (@second, "p", @a) }
            PROPOSITION @second { (@a, "p", {type: "T", name: "Ghost"}) }
        }
    """
    assert "Ghost" in refused(memory, text, "KIP_3002").message


@pytest.mark.parametrize(
    ("blocks", "code"),
    [
        ('CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", @b) } }', "KIP_3001"),
        ('CONCEPT @a { {type: "T", name: "A"} } CONCEPT @a { {type: "T", name: "B"} }', "KIP_3003"),
        ('PROPOSITION @a { (@b, "p", @b) } PROPOSITION @b { (@a, "p", @a) }', "KIP_3001"),
        ('PROPOSITION @a { (@a, "p", @a) }', "KIP_3001"),
        ('CONCEPT { {id: "nope"} }', "KIP_3002"),
        ('CONCEPT { {type: "T"} }', "KIP_3002"),
        ('CONCEPT { {name: "A"} }', "KIP_3002"),
        ('CONCEPT { {type: "", name: "A"} }', "KIP_1002"),
        ('CONCEPT { {type: "T", name: 3} }', "KIP_1001"),
        ('CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { _a: 1 } }', "KIP_2002"),
        ('CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p{1,2}", @a) } }', "KIP_1001"),
        ('CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p|q", @a) } }', "KIP_1001"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_changes_nothing(
    memory: Memory, blocks: str, code: str
) -> None:
    refused(memory, f"UPSERT {{ {blocks} }}", code)


def test_a_new_concept_without_a_name_is_asked_for_one(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "Tag", name: "B"} } }')
    for type_ in ("A", "Tags"):
        error = refused(memory, f'UPSERT {{ CONCEPT {{ {{type: "{type_}"}} }} }}', "KIP_3002")
        assert error.message.endswith("and a new concept needs a name")
        assert error.hint == f'name it: {{type: "{type_}", name: "..."}}'
        assert error.known == ()
    memory.write('UPSERT { CONCEPT { {type: "Tag"} SET ATTRIBUTES { x: 1 } } }')
    assert memory.concepts() == {"Tag B": ({"x": 1}, {})}


def test_an_undefined_handle_names_the_nearest_one(memory: Memory) -> None:
    text = 'UPSERT { CONCEPT @drug { {type: "T", name: "A"} SET PROPOSITIONS { ("p", @dru) } } }'
    error = refused(memory, text, "KIP_3001")
    assert error.known == ("@drug",)
    assert error.fix is not None
    assert text[: error.fix.span.start] + error.fix.text + text[
        error.fix.span.end :
    ] == text.replace("@dru)", "@drug)")


def test_an_id_is_adopted_on_creation_and_matches_afterwards(memory: Memory) -> None:
    written = memory.write('UPSERT { CONCEPT { {type: "T", name: "A", id: "mine"} } }')
    assert written.upsert.concepts == ("mine",)
    written = memory.write('UPSERT { CONCEPT { {id: "mine"} SET ATTRIBUTES { x: 1 } } }')
    assert (written.upsert.created, written.upsert.updated) == (0, 1)
    assert memory.concepts() == {"T A": ({"x": 1}, {})}


def test_a_computed_id_names_its_element(memory: Memory) -> None:
    (computed,) = memory.write('UPSERT { CONCEPT { {type: "T", name: "A"} } }').upsert.concepts
    memory.write(f'UPSERT {{ CONCEPT {{ {{id: "{computed}"}} SET ATTRIBUTES {{ x: 1 }} }} }}')
    assert memory.concepts() == {"T A": ({"x": 1}, {})}


def test_an_id_of_another_element_is_refused(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "T", name: "A", id: "mine"} } }')
    refused(memory, 'UPSERT { CONCEPT { {type: "T", name: "B", id: "mine"} } }', "KIP_3003")


def test_an_id_the_memory_will_give_out_itself_is_refused(memory: Memory) -> None:
    (computed,) = memory.write('UPSERT { CONCEPT { {type: "T", name: "A"} } }').upsert.concepts
    ahead = computed[:-12] + "0000000000ff"
    error = refused(
        memory, f'UPSERT {{ CONCEPT {{ {{type: "T", name: "B", id: "{ahead}"}} }} }}', "KIP_2002"
    )
    assert ahead in error.message


def test_an_id_other_than_the_concepts_own_is_noted(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "T", name: "A", id: "mine"} } }')
    written = memory.write('UPSERT { CONCEPT { {type: "T", name: "A", id: "other"} } }')
    assert written.upsert.concepts == ("mine",)
    assert [notice.code for notice in written.notices] == ["id_not_adopted"]


def test_a_type_or_a_name_alone_names_the_only_match(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "T", name: "A"} } CONCEPT { {type: "U", name: "B"} } }')
    memory.write("""
        UPSERT {
            CONCEPT @a { {type: "T"} SET ATTRIBUTES { by: "type" } SET PROPOSITIONS { ("p", {name: "B"}) } }
            CONCEPT @b { {name: "B"} SET ATTRIBUTES { by: "name" } }
        }
    """)
    assert memory.concepts() == {"T A": ({"by": "type"}, {}), "U B": ({"by": "name"}, {})}
    assert [text for text, *_ in memory.links()] == ["A p B"]


def test_several_matches_are_refused_with_their_ids(memory: Memory) -> None:
    ids = memory.write(
        'UPSERT { CONCEPT { {type: "T", name: "A"} } CONCEPT { {type: "T", name: "B"} } }'
    ).upsert.concepts
    error = refused(
        memory, 'UPSERT { CONCEPT { {type: "T"} SET ATTRIBUTES { x: 1 } } }', "KIP_3003"
    )
    assert error.known == ids


def test_a_match_is_sought_among_what_the_same_statement_makes(memory: Memory) -> None:
    memory.write(
        'UPSERT { CONCEPT { {type: "T"} SET ATTRIBUTES { x: 1 } } CONCEPT { {type: "T", name: "A"} } }'
    )
    assert memory.concepts() == {"T A": ({"x": 1}, {})}
    refused(
        memory,
        'UPSERT { CONCEPT { {type: "T"} SET ATTRIBUTES { x: 2 } } CONCEPT { {type: "T", name: "B"} } }',
        "KIP_3003",
    )


def test_texts_that_normalise_alike_are_one_name(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT { {type: "T", name: "Caf\u00e9"} } }')
    assert memory.write('UPSERT { CONCEPT { {type: "T", name: "Cafe\u0301"} } }').number is None


def test_a_bare_triple_updates_the_link_without_a_key(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT @a { {type: "T", name: "A", id: "a"} } }')
    memory.write([PutLink("a", "p", "a", key="k"), PutLink("a", "p", "a")])
    memory.write('UPSERT { PROPOSITION { ({id: "a"}, "p", {id: "a"}) SET ATTRIBUTES { x: 1 } } }')
    rows = memory.rows("SELECT key, attributes FROM link WHERE group_id = :group ORDER BY key")
    assert rows == [("", '{"x":1}'), ("k", "{}")]


def test_a_bare_triple_updates_its_only_link_under_any_key(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT @a { {type: "T", name: "A", id: "a"} } }')
    memory.write([PutLink("a", "p", "a", key="k")])
    memory.write('UPSERT { PROPOSITION { ({id: "a"}, "p", {id: "a"}) SET ATTRIBUTES { x: 1 } } }')
    assert memory.links() == [("A p A", {"x": 1}, {})]


def test_a_bare_triple_with_several_keyed_links_is_refused_with_their_ids(memory: Memory) -> None:
    memory.write('UPSERT { CONCEPT @a { {type: "T", name: "A", id: "a"} } }')
    memory.write([PutLink("a", "p", "a", key=key, id=f"link {key}") for key in "jk"])
    text = 'UPSERT { PROPOSITION { ({id: "a"}, "p", {id: "a"}) SET ATTRIBUTES { x: 1 } } }'
    assert refused(memory, text, "KIP_3003").known == ("link j", "link k")


def test_an_attribute_that_a_field_hides_is_noted(memory: Memory) -> None:
    written = memory.write(
        'UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { name: "x" } } }'
    )
    assert [notice.code for notice in written.notices] == ["hidden_attribute"]


ID_TAKEN_LATER = """
UPSERT {
    CONCEPT @a { {type: "T", name: "d"} }
    CONCEPT @b { {type: "T", name: "d", id: "g1"} }
    CONCEPT @c { {type: "T", name: "c", id: "g1"} }
}
"""


def test_an_id_that_a_later_block_takes_is_refused_on_the_first_run(memory: Memory) -> None:
    assert refused(memory, ID_TAKEN_LATER, "KIP_3003").known == ("g1",)
    with pytest.raises(RecollectError) as caught:
        Reference().run(ID_TAKEN_LATER)
    assert caught.value.code.code == "KIP_3003"


def questions(types: int) -> list[str]:
    """Return what a first capsule of 40 concepts in a ring asks, of so many types and predicates."""
    asked: list[str] = []

    def watch(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, lambda event: asked.append(event["sql"]))

    concepts = (f'CONCEPT ?c{i} {{ {{type: "T{i % types}", name: "{i}"}} }}' for i in range(40))
    links = (
        f'PROPOSITION ?p{i} {{ (?c{i}, "p{i % types}", ?c{(i + 1) % 40}) }}' for i in range(40)
    )
    apsw.connection_hooks.append(watch)
    try:
        with recollect.open(":memory:") as nexus:
            asked.clear()
            nexus.write("UPSERT {" + "\n".join((*concepts, *links)) + "}")
            return [one for one in asked if one.strip().startswith("SELECT")]
    finally:
        apsw.connection_hooks.remove(watch)


def test_new_types_and_predicates_are_asked_for_together() -> None:
    assert len(questions(40)) == len(questions(2)) <= 12
