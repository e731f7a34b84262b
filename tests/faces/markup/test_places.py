"""Spaces and places: what joins nodes in which space, what is a space, and in which order."""

from __future__ import annotations

import pytest
from tests.faces.markup.conftest import ZOO
from tests.faces.markup.support import fault, lines, notices, places, refused
from tests.meanings import Meanings

import recollect
from recollect.faces.markup import Markup, parse
from recollect.faces.markup.applying import Applying
from recollect.faces.markup.decision import Asked
from recollect.faces.markup.faults import Faults
from recollect.faces.markup.graph import Graph
from recollect.model import AsOf, Hits, PutConcept

EXAMPLE = """- CONCEPTUAL SPACE
  ID: cs-1
  Label: Vehicles
  - ID: mc-1
    Label: Car

- ATTRIBUTE SPACE
  ID: as-1
  Label: Colors
  - ID: sc-1
    Label: Blue
    - ID: mc-1
"""
"""The example of section 4.7."""


def test_in_a_conceptual_space_edges_are_parents(zoo: Markup) -> None:
    assert places(zoo, "1") == {("zoo", None, "in_space")}
    assert places(zoo, "2") == {("zoo", "1", "parent")}


def test_in_an_ontology_space_edges_are_is_a(zoo: Markup) -> None:
    zoo.apply("- ID: 7\n  - ID: new-1 [created]\n    Label: Cat\n")
    assert places(zoo, "7") == {("kinds", None, "in_space")}
    assert places(zoo, "8") == {("kinds", "7", "is_a")}


def test_in_an_attribute_space_values_are_is_a_and_concepts_have_values(markup: Markup) -> None:
    markup.load(EXAMPLE)
    markup.apply("- ID: sc-1\n  - ID: new-1 [created]\n    Label: Navy\n")
    assert places(markup, "sc-1") == {("as-1", None, "in_space")}
    assert places(markup, "1") == {("as-1", "sc-1", "is_a")}
    assert places(markup, "mc-1") == {("cs-1", None, "in_space"), ("as-1", "sc-1", "has")}


def test_a_concept_at_the_root_of_an_attribute_space_has_it(zoo: Markup) -> None:
    zoo.apply("- ATTRIBUTE SPACE\n  ID: colors\n  - ID: 2 [created]\n")
    assert ("colors", None, "has") in places(zoo, "2")


def test_a_new_node_that_appears_in_a_conceptual_space_of_the_text_is_a_concept(
    zoo: Markup,
) -> None:
    zoo.apply(
        "- ATTRIBUTE SPACE\n  ID: colors\n  - ID: 6\n    - ID: new-1 [created]\n"
        "- CONCEPTUAL SPACE\n  ID: zoo\n  - ID: new-1 [created]\n    Label: Giraffe\n"
    )
    assert places(zoo, "8") == {("colors", "6", "has"), ("zoo", None, "in_space")}


def test_a_concept_below_a_concept_in_an_attribute_space_is_refused(zoo: Markup) -> None:
    zoo.apply("- ATTRIBUTE SPACE\n  ID: colors\n  - ID: 6\n    - ID: 2 [created]\n")
    text = "- ATTRIBUTE SPACE\n  ID: colors\n  - ID: 6\n    - ID: 2\n      - ID: 4 [created]\n"
    assert refused(zoo, text) == "KM_3013"


@pytest.mark.parametrize("space", ["zoo", "colors", "kinds"])
def test_extensions_and_what_is_below_them_are_joined_by_parent_everywhere(
    zoo: Markup, space: str
) -> None:
    kind = {one.id: one.kind for one in zoo.spaces()}[space]
    zoo.apply(
        f"- {kind}\n  ID: {space}\n  - NOTE ID: new-1 [created]\n    Label: N\n"
        "    - ID: new-2 [created]\n      Label: Below\n      - ID: new-3 [created]\n        Label: Deep\n"
    )
    zoo.apply("- ID: 10\n  - ID: new-1 [created]\n    Label: Deeper\n")
    assert places(zoo, "8") == {(space, None, "in_space")}
    assert places(zoo, "9") == {(space, "8", "parent")}
    assert places(zoo, "10") == {(space, "9", "parent")}
    assert places(zoo, "11") == {(space, "10", "parent")}


def test_a_space_without_id_is_the_one_of_that_type_and_label(zoo: Markup) -> None:
    zoo.apply("- CONCEPTUAL SPACE\n  Label: Zoo\n  - ID: new-1 [created]\n    Label: Shop\n")
    assert places(zoo, "8") == {("zoo", None, "in_space")}


def test_a_space_without_id_that_is_none_is_made(zoo: Markup) -> None:
    done = zoo.apply("- ATTRIBUTE SPACE\n  Label: Sizes\n  - ID: new-1 [created]\n    Label: Big\n")
    assert lines(done) == ['created 9 "Sizes"', 'created 8 "Big" in 9']


def test_a_space_without_id_of_which_there_are_several_is_refused_and_names_them(
    zoo: Markup,
) -> None:
    zoo.apply("- CONCEPTUAL SPACE\n  ID: new-1 [created]\n  Label: Zoo\n")
    text = "- CONCEPTUAL SPACE\n  Label: Zoo\n  - ID: new-1 [created]\n    Label: x\n"
    assert fault(lambda: zoo.apply(text)).known == ("zoo", "8")


def test_a_new_space_needs_a_label(zoo: Markup) -> None:
    assert refused(zoo, "- ATTRIBUTE SPACE\n  ID: new-1 [created]\n") == "KM_1003"


def test_a_space_of_another_type_under_a_known_id_is_refused(zoo: Markup) -> None:
    assert refused(zoo, "- ATTRIBUTE SPACE\n  ID: zoo\n") == "KM_3004"
    assert refused(zoo, "- ATTRIBUTE SPACE\n  ID: 2\n") == "KM_3004"


def test_an_unknown_space_is_refused(zoo: Markup) -> None:
    assert refused(zoo, "- ATTRIBUTE SPACE\n  ID: sizes\n  Label: x\n") == "KM_3001"
    assert refused(zoo, "- ATTRIBUTE SPACE\n  ID: sizes [created]\n  Label: x\n") == "KM_3002"


def test_a_space_is_updated_as_a_node_is(zoo: Markup) -> None:
    done = zoo.apply("- CONCEPTUAL SPACE\n  ID: zoo [updated]\n  Label: Park\n")
    assert lines(done) == ['updated zoo "Park"']
    assert zoo.spaces()[0].label == "Park"
    assert notices(zoo.apply("- CONCEPTUAL SPACE\n  ID: zoo\n  Label: Zoo\n")) == ["unmarked"]


def test_a_new_root_goes_to_the_default_space_made_on_first_need(zoo: Markup) -> None:
    done = zoo.apply("- ID: new-1 [created]\n  Label: Thing\n")
    assert lines(done) == ['created main "Main"', 'created 8 "Thing" in main']
    assert lines(zoo.apply("- ID: new-1 [created]\n  Label: Other\n")) == [
        'created 9 "Other" in main'
    ]
    assert zoo.spaces()[-1].kind == "CONCEPTUAL SPACE"


def test_a_new_root_goes_to_the_target_of_the_call(zoo: Markup) -> None:
    zoo.apply("- ID: new-1 [created]\n  Label: Thing\n", target="2")
    zoo.apply("- ID: new-1 [created]\n  Label: Thing\n", target="kinds")
    assert places(zoo, "8") == {("zoo", "2", "parent")}
    assert places(zoo, "9") == {("kinds", None, "in_space")}
    assert refused(zoo, "- ID: new-1 [created]\n  Label: Thing\n", target="99") == "KM_3001"


def test_a_known_root_of_several_spaces_is_refused_if_anything_changes_there(zoo: Markup) -> None:
    zoo.apply("- ONTOLOGY SPACE\n  ID: kinds\n  - ID: 7\n    - ID: 2 [created]\n")
    assert refused(zoo, "- ID: 2\n  - ID: new-1 [created]\n    Label: x\n") == "KM_3011"
    assert refused(zoo, "- ID: 2 [deleted]\n") == "KM_3011"
    zoo.apply("- ID: 2 [updated]\n  Label: Cat\n")
    zoo.apply(
        "- ID: 1\n  - ID: new-1 [created]\n    Label: x\n- ID: 2\n  - ID: new-2 [created]\n    Label: y\n"
    )
    assert places(zoo, "9") == {("zoo", "2", "parent")}


def test_a_space_inside_a_tree_is_a_reference_joined_by_parent(zoo: Markup) -> None:
    zoo.apply("- ID: 1\n  - SPACE ID: kinds [updated]\n")
    assert places(zoo, "kinds") == {("zoo", "1", "parent")}
    assert "- SPACE ID: kinds\n" in zoo.render("zoo").text
    assert refused(zoo, "- ID: 1\n  - SPACE ID: kinds [created]\n") == "KM_1003"
    assert refused(zoo, "- ID: 1\n  - SPACE ID: sizes [updated]\n") == "KM_3001"


def test_a_known_node_of_another_kind_is_refused(zoo: Markup) -> None:
    assert refused(zoo, "- NOTE ID: 2\n") == "KM_3004"
    assert refused(zoo, "- ID: zoo\n") == "KM_3004"
    assert fault(lambda: zoo.load("- ID: zoo\n  Label: Zoo\n")).code.code == "KM_3004"


# Order


def order(markup: Markup, root: str) -> list[str]:
    text = markup.render(root, depth=1).text
    return [line.split("ID: ")[1] for line in text.splitlines() if line.startswith("  - ")]


def test_a_new_sibling_goes_after_the_nearest_known_one_before_it(zoo: Markup) -> None:
    zoo.apply(
        "- ID: 1\n  - ID: 2\n  - ID: new-1 [created]\n    Label: x\n  - ID: new-2 [created]\n    Label: y\n"
    )
    assert order(zoo, "1") == ["2", "8", "9", "4"]


def test_a_new_sibling_goes_else_before_the_known_one_after_it(zoo: Markup) -> None:
    zoo.apply(
        "- ID: 1\n  - ID: new-1 [created]\n    Label: x\n  - ID: new-2 [created]\n    Label: y\n  - ID: 2\n"
    )
    assert order(zoo, "1") == ["8", "9", "2", "4"]


def test_a_new_sibling_goes_else_last(zoo: Markup) -> None:
    zoo.apply("- ID: 1\n  - ID: new-1 [created]\n    Label: x\n")
    assert order(zoo, "1") == ["2", "4", "8"]


def test_known_siblings_move_only_if_updated_and_contradicted(zoo: Markup) -> None:
    assert zoo.apply("- ID: 1\n  - ID: 4\n  - ID: 2\n").transaction is None
    assert order(zoo, "1") == ["2", "4"]
    assert lines(zoo.apply("- ID: 1\n  - ID: 4 [updated]\n  - ID: 2\n")) == [
        'reordered 4 "Zebra" in zoo'
    ]
    assert order(zoo, "1") == ["4", "2"]
    assert zoo.apply("- ID: 1\n  - ID: 4 [updated]\n  - ID: 2 [updated]\n").transaction is None


def test_many_insertions_at_one_spot_keep_their_order(zoo: Markup) -> None:
    expected = ["2", "4"]
    for number in range(8, 80):
        zoo.apply("- ID: 1\n  - ID: 2\n  - ID: new-1 [created]\n    Label: x\n")
        expected.insert(1, str(number))
    assert order(zoo, "1") == expected


def flat(zoo: Markup, count: int) -> None:
    nodes = "".join(f"      - ID: n{one}\n        Label: Node {one}\n" for one in range(count))
    zoo.load(f"- CONCEPTUAL SPACE\n  ID: zoo\n  - ID: 1\n    - ID: 4\n{nodes}")


def test_an_insertion_reads_a_few_of_the_siblings_however_many_they_are(zoo: Markup) -> None:
    flat(zoo, 500)
    new = "  - ID: new-1 [created]\n    Label: x\n"
    for text in (f"- ID: 4\n  - ID: n250\n{new}", f"- ID: 4\n{new}  - ID: n250\n"):
        with zoo.nexus.transaction(dry_run=True):
            graph = Graph(zoo.nexus)
            Applying(graph, Asked(is_snapshot=False), Faults(text)).decide(parse(text))
            assert len(graph.elements) < 50
        before = order(zoo, "4")
        (made,) = zoo.apply(text).ids.values()
        at = before.index("n250") + (text.index("n250") < text.index("new"))
        assert order(zoo, "4") == [*before[:at], made, *before[at:]]


def test_many_insertions_at_one_spot_renumber_a_few_siblings_at_a_time(zoo: Markup) -> None:
    flat(zoo, 1_000)
    most, made = 0, list[str]()
    for number in range(150):
        text = "- ID: 4\n  - ID: n500\n  - ID: new-1 [created]\n    Label: x\n"
        if number == 140:  # beside what a spread takes along
            text = "- ID: 4\n  - ID: new-2 [created]\n    Label: y\n  - ID: n501\n"
        with zoo.nexus.transaction(dry_run=True):
            applying = Applying(Graph(zoo.nexus), Asked(is_snapshot=False), Faults(text))
            most = max(most, len(applying.decide(parse(text)).orders))
        made += zoo.apply(text).ids.values()
    assert 1 < most < 300
    before = [f"n{one}" for one in range(501)]
    after = [f"n{one}" for one in range(501, 1_000)]
    (last,) = made[140:141]
    first = [*reversed(made[:140])]
    assert order(zoo, "4") == [*before, *reversed(made[141:]), *first, last, *after]


def test_an_insertion_beside_siblings_that_go_finds_the_one_that_stays(zoo: Markup) -> None:
    flat(zoo, 80)
    gone = "".join(f"  - ID: n{one} [deleted]\n" for one in range(11, 70))
    zoo.apply(f"- ID: 4\n  - ID: n10\n  - ID: new-1 [created]\n    Label: x\n{gone}")
    assert order(zoo, "4")[9:13] == ["n9", "n10", "8", "n70"]


# KIP


def test_what_kip_wrote_shows_in_every_space_of_the_kind_where_its_object_is(zoo: Markup) -> None:
    zoo.nexus.write([PutConcept("Entity", "Leo", {}, id="leo")])
    zoo.nexus.write(
        'UPSERT { CONCEPT @l { {type: "Entity", name: "Leo"} '
        'SET PROPOSITIONS { ("parent", {type: "Node", name: "2"}) '
        '("is_a", {type: "Node", name: "7"}) } } }'
    )
    assert places(zoo, "leo") == {("zoo", "2", "parent"), ("kinds", "7", "is_a")}
    assert "      - ID: leo\n        Label: Leo\n" in zoo.render("zoo").text


def test_a_place_that_kip_wrote_is_not_closed_here_and_the_statement_that_does_is_told(
    zoo: Markup,
) -> None:
    zoo.nexus.write(
        'UPSERT { CONCEPT @l { {type: "Node", name: "4"} '
        'SET PROPOSITIONS { ("parent", {type: "Node", name: "5"}) } } }'
    )
    error = fault(lambda: zoo.apply("- ID: 5\n  - ID: 4 [deleted]\n"))
    assert error.code.code == "KM_3011"
    zoo.nexus.write(error.hint)
    assert places(zoo, "4") == {("zoo", "1", "parent")}


def test_a_concept_of_another_face_is_itself_and_never_closes(zoo: Markup) -> None:
    zoo.nexus.write([PutConcept("Entity", "Leo", {"summary": "A lion"}, id="leo")])
    zoo.apply("- ID: 2\n  - ID: leo [created]\n")
    assert "  - ID: leo\n    Label: Leo\n" in zoo.render("2").text
    done = zoo.apply("- ID: 2\n  - ID: leo [deleted]\n")
    assert lines(done) == ['removed leo "Leo" from zoo']
    assert zoo.nexus.elements.look_up(["leo"])


def test_a_claim_in_a_space_is_read_only(zoo: Markup) -> None:
    zoo.nexus.write([PutConcept("Claim", "c-1", {"text": "Lions roar"}, id="c-1")])
    zoo.apply("- ID: 2\n  - ID: c-1 [created]\n")
    assert "  - ID: c-1 [read-only]\n" in zoo.render("2").text
    assert refused(zoo, "- ID: c-1 [updated]\n  Label: x\n") == "KM_3003"


def test_kip_reads_all_and_writes_nodes_but_no_owned_types(zoo: Markup) -> None:
    zoo.nexus.write(
        'UPDATE ?n SET ATTRIBUTES { label: "Cat" } WHERE { ?n {type: "Node", name: "2"} }'
    )
    assert "Label: Cat" in zoo.render("2").text
    text = 'UPSERT { CONCEPT @s { {type: "Space", name: "mine"} SET ATTRIBUTES { kind: "x" } } }'
    assert fault(lambda: zoo.nexus.write(text)).code.code == "KIP_3004"


def test_cycles_made_through_kip_are_cut_by_a_bare_reference(zoo: Markup) -> None:
    zoo.nexus.write(
        'UPSERT { CONCEPT @l { {type: "Node", name: "1"} '
        'SET PROPOSITIONS { ("parent", {type: "Node", name: "3"}) } } }'
    )
    text = zoo.render("zoo").text
    assert text.count("Label: Animals") == 1
    assert text.count("- ID: 1\n") == 2


# Looking back, searching, other groups


def test_a_view_of_the_past_is_as_it_was(zoo: Markup) -> None:
    before = zoo.render()
    zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n- ID: 4 [updated]\n  Label: Horse\n")
    then = AsOf(transaction=before.transaction)
    assert zoo.render(as_of=then) == before
    assert zoo.places("2", as_of=then)
    assert zoo.spaces(as_of=AsOf(transaction=0)) == ()


def test_search_finds_labels_and_contents_and_no_structure(zoo: Markup) -> None:
    def found(term: str) -> list[str]:
        (hits,) = zoo.nexus.search(term, "concept").results
        return [one.element.id for one in hits.hits]  # type: ignore[union-attr]

    assert found("roars") == ["2"]
    assert found("lion")[0] == "2"
    assert found("conceptual") == []


def test_an_id_of_another_group_is_unknown(zoo: Markup) -> None:
    other = Markup(zoo.nexus.group("other"))
    assert fault(lambda: other.apply("- ID: 2 [updated]\n  Label: x\n")).code.code == "KM_3001"
    assert fault(lambda: other.places("2")).code.code == "KM_3001"
    assert fault(lambda: other.render("2")).code.code == "KM_3001"
    assert "other" not in zoo.nexus.groups()


def test_history_tells_who_changed_a_node(zoo: Markup) -> None:
    Markup(zoo.nexus, actor="ann").apply("- ID: 2 [updated]\n  Label: Cat\n", request_id="r-1")
    last = zoo.nexus.history("2")[-1].versions[-1].since
    assert (last.actor, last.request_id) == ("ann", "r-1")


def test_a_strict_group_takes_markup_without_definitions(markup: Markup) -> None:
    markup.nexus.write('UPSERT { CONCEPT @d { {type: "$ConceptType", name: "Drug"} } }')
    markup.nexus.set_schema("strict")
    markup.load(ZOO)
    markup.load(EXAMPLE)
    assert markup.nexus.declared.schema().misfits == ()


def test_nodes_are_found_by_what_they_mean() -> None:
    with recollect.open(":memory:", embedder=Meanings()) as nexus:
        Markup(nexus).load(
            "- ID: 1\n  Label: Ann\n  Content: works as a physician\n- ID: 2\n  Label: Bo\n"
        )
        (hits,) = nexus.search("doctor", "concept", mode="semantic").results
        assert isinstance(hits, Hits)
        assert hits.hits[0].element.id == "1"


def test_a_node_that_kip_makes_has_its_name_for_its_id(zoo: Markup) -> None:
    zoo.nexus.write(
        'UPSERT { CONCEPT @n { {type: "Node", name: "snow leopard"} SET ATTRIBUTES {label: "Cat"} '
        'SET PROPOSITIONS { ("parent", {id: "1"}) } } }'
    )
    assert '- ID: "snow leopard"\n      Label: Cat\n' in zoo.render("zoo").text
    zoo.apply('- ID: "snow leopard" [updated]\n  Label: Snow leopard\n')
    assert (
        zoo.nexus.elements.look_up(["snow leopard"])["snow leopard"].element.name == "snow leopard"
    )


def test_a_node_that_kip_makes_has_an_id_of_its_own_where_its_name_is_one_already(
    zoo: Markup,
) -> None:
    zoo.nexus.write('UPSERT { CONCEPT @n { {type: "Note", name: "zoo"} } }')
    assert zoo.nexus.elements.look_up(["zoo"])["zoo"].element.type == "Space"
