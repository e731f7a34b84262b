"""What is brought back, and what is erased."""

from __future__ import annotations

from pathlib import Path

from tests.faces.markup.conftest import ZOO
from tests.faces.markup.support import code, fault, lines, places

import recollect
from behind import BYTES
from recollect.faces.markup import Markup
from recollect.model import AsOf, Delete, PutConcept, PutLink


def test_a_deleted_branch_comes_back_as_it_was(zoo: Markup) -> None:
    before = zoo.render()
    zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n")
    assert before.transaction is not None
    done = zoo.restore("2", transaction=before.transaction)
    assert lines(done) == ['created 2 "Lion" in zoo', 'created 3 "Mane" in zoo']
    assert zoo.render().text == before.text
    assert zoo.restore("2", transaction=before.transaction).transaction is None


def test_a_deleted_space_comes_back_with_all_its_places(zoo: Markup) -> None:
    zoo.apply("- ONTOLOGY SPACE\n  ID: kinds\n  - ID: 7\n    - ID: 2 [created]\n")
    zoo.nexus.write([PutConcept("Entity", "Leo", id="leo"), PutConcept("Entity", "Kim", id="kim")])
    zoo.apply("- ID: 4\n  - ID: leo [created]\n  - ID: kim [created]\n")
    zoo.nexus.write([Delete("kim")])
    before = zoo.render("zoo")
    assert before.transaction is not None
    zoo.apply("- CONCEPTUAL SPACE\n  ID: zoo [deleted]\n")
    zoo.restore("zoo", transaction=before.transaction)
    assert zoo.render("zoo").text == before.text
    assert places(zoo, "2") == {("kinds", "7", "is_a"), ("zoo", "1", "parent")}


def test_what_lives_on_in_another_space_comes_back_below_the_branch_too(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db") as nexus:
        markup = Markup(nexus)
        markup.load(
            "- CONCEPTUAL SPACE\n  ID: k\n  Label: Kitchen\n  - ID: soup\n    Label: Soup\n"
            "    - ID: onion\n      Label: Onion\n      - ID: ring\n        Label: Ring\n"
            "- CONCEPTUAL SPACE\n  ID: c\n  Label: Colours\n  - ID: red\n    Label: Red\n"
            "    - ID: onion\n"
        )
        before = markup.render("k")
        assert before.transaction is not None
        markup.apply("- CONCEPTUAL SPACE\n  ID: k\n  - ID: soup [deleted]\n")
        done = markup.restore("soup", transaction=before.transaction)
        assert 'placed onion "Onion" also in k' in lines(done)
        assert markup.render("k").text == before.text
        assert places(markup, "onion") == {("k", "soup", "parent"), ("c", "red", "parent")}


def test_a_branch_brings_back_nothing_in_spaces_where_it_did_not_stand(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db") as nexus:
        markup = Markup(nexus)
        markup.load(
            "- CONCEPTUAL SPACE\n  ID: k\n  Label: Kitchen\n  - ID: soup\n    Label: Soup\n"
            "    - ID: onion\n      Label: Onion\n    - ID: ring\n      Label: Ring\n"
            "- CONCEPTUAL SPACE\n  ID: z\n  Label: Shapes\n  - ID: onion\n    - ID: ring\n"
            "- CONCEPTUAL SPACE\n  ID: y\n  Label: Circles\n  - ID: ring\n"
        )
        before = markup.render("k")
        assert before.transaction is not None
        markup.apply("- CONCEPTUAL SPACE\n  ID: z\n  - ID: onion\n    - ID: ring [deleted]\n")
        shapes = markup.render("z").text
        markup.apply("- CONCEPTUAL SPACE\n  ID: k\n  - ID: soup [deleted]\n")
        markup.restore("soup", transaction=before.transaction)
        assert markup.render("k").text == before.text
        assert markup.render("z").text == shapes


def test_changed_fields_come_back(zoo: Markup) -> None:
    before = zoo.render()
    assert before.transaction is not None
    zoo.apply("- ID: 2 [updated]\n  Label: Cat\n  Weight: 1\n", extra_fields=True)
    done = zoo.restore("2", transaction=before.transaction)
    assert lines(done) == ['updated 2 "Lion" in zoo']
    assert zoo.render().text == before.text


def test_what_was_not_there_then_does_not_come_back(zoo: Markup) -> None:
    zoo.apply("- ID: 2\n  - ID: new-1 [created]\n    Label: x\n")
    assert code(lambda: zoo.restore("8", transaction=1)) == "KM_3001"


def test_a_place_that_would_make_a_cycle_does_not_come_back(zoo: Markup) -> None:
    zoo.apply("- ID: 5\n  - ID: 2 [updated]\n    - ID: 1 [updated]\n")
    assert code(lambda: zoo.restore("2", transaction=1)) == "KM_3006"


@BYTES
def test_purge_erases_a_node_for_all_times(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        markup = Markup(nexus)
        markup.load(ZOO.replace("Roars.", "Secretword"))
        receipt = markup.purge("2")
        assert receipt.is_complete
        assert "2" in receipt.ids
        assert code(lambda: markup.places("2")) == "KM_3001"
        assert "Lion" not in markup.render(as_of=AsOf(transaction=1)).text
    assert b"Secretword" not in path.read_bytes()


def test_purge_erases_the_exchanges_and_calls_that_showed_a_node(zoo: Markup) -> None:
    zoo.nexus.write(
        [
            PutConcept("Exchange", "e", {"request": "Lion"}, id="e"),
            PutConcept("Call", "c", {"arguments": "Lion"}, id="c"),
            PutConcept("Exchange", "f", {"request": "Zebra"}, id="f"),
            PutLink("e", "showed", "2"),
            PutLink("c", "showed", "2"),
            PutLink("f", "showed", "4"),
        ]
    )
    assert {"2", "e", "c"} <= {*zoo.purge("2").ids}
    assert zoo.nexus.elements.look_up(["2", "e", "c", "f"], closed=True).keys() == {"f"}


def test_what_an_exchange_showed_does_not_keep_a_node(zoo: Markup) -> None:
    zoo.nexus.write([PutConcept("Exchange", "e", {}, id="e"), PutLink("e", "showed", "4")])
    assert lines(zoo.apply("- ID: 1\n  - ID: 4 [deleted]\n")) == ['closed 4 "Zebra" in zoo']


def test_an_unknown_node_is_not_erased(zoo: Markup) -> None:
    assert code(lambda: zoo.purge("99")) == "KM_3001"
    assert places(zoo, "2")


def test_an_update_of_a_node_that_stands_in_two_spaces_makes_no_space(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db") as nexus:
        markup = Markup(nexus)
        markup.load(
            "- CONCEPTUAL SPACE\n  ID: k\n  Label: Kitchen\n  - ID: onion\n    Label: Onion\n"
            "- CONCEPTUAL SPACE\n  ID: c\n  Label: Colours\n  - ID: onion\n"
        )
        done = markup.apply("- ID: onion [updated]\n  Label: Red onion\n")
        assert [one.kind for one in done.changes] == ["updated"]
        assert {one.id for one in markup.spaces()} == {"k", "c"}


def test_what_a_purge_leaves_without_a_place_closes_as_below_a_deleted_node(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db") as nexus:
        markup = Markup(nexus)
        markup.load(
            "- CONCEPTUAL SPACE\n  ID: k\n  Label: Kitchen\n  - ID: soup\n    Label: Soup\n"
            "    - ID: onion\n      Label: Onion\n    - ID: salt\n      Label: Salt\n"
            "- CONCEPTUAL SPACE\n  ID: c\n  Label: Colours\n  - ID: onion\n"
        )
        markup.purge("soup")
        assert places(markup, "onion") == {("c", None, "in_space")}
        assert code(lambda: markup.places("salt")) == "KM_3001"


def test_a_transaction_that_is_still_to_come_is_refused(zoo: Markup) -> None:
    later = AsOf(transaction=9_999)
    for call in (
        lambda: zoo.restore("2", transaction=9_999),
        lambda: zoo.render(as_of=later),
        lambda: zoo.spaces(as_of=later),
        lambda: zoo.places("2", as_of=later),
    ):
        error = fault(call)
        assert (error.code.code, error.hint) == ("INVALID_ARGUMENT", "pass transaction=1")


def test_a_node_comes_back_to_a_place_though_what_it_stood_below_was_erased(zoo: Markup) -> None:
    zoo.purge("1")
    zoo.restore("2", transaction=1)
    assert places(zoo, "2") == {("zoo", None, "in_space")}
    assert places(zoo, "3") == {("zoo", "2", "parent")}
    zoo.apply("- ID: 2 [deleted]\n")
    zoo.purge("zoo")
    zoo.restore("3", transaction=1)
    assert places(zoo, "3") == {("main", None, "in_space")}


def test_a_node_comes_back_below_the_nearest_ancestor_that_lives(zoo: Markup) -> None:
    zoo.apply("- ID: 2 [deleted]\n")
    zoo.restore("3", transaction=1)
    assert places(zoo, "3") == {("zoo", "1", "parent")}
