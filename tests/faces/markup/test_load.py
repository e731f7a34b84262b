"""Snapshots: everything that a text holds shall exist, and what is written out comes in again."""

from __future__ import annotations

import io

import pytest
from tests.faces.markup.conftest import ZOO
from tests.faces.markup.examples import DOCUMENTS, REQUESTS, RESPONSES
from tests.faces.markup.support import code, fault, lines, notices, places

import recollect
from recollect.faces.markup import Markup, parse_request, parse_response
from recollect.faces.markup.decision import Asked

EXAMPLES = [*DOCUMENTS.values()]


def test_the_examples_of_the_specification_come_one_after_another(markup: Markup) -> None:
    request = parse_request(REQUESTS["5.1 a command"])
    assert request.data is not None
    markup.write(request.data, Asked(is_snapshot=True))
    for name, text in DOCUMENTS.items():
        markup.load(text)
        if "temporary" not in name:
            assert markup.load(text).transaction is None
    made: list[str] = []
    for name, text in RESPONSES.items():
        data = parse_response(text).data
        if data is None:
            continue
        done = markup.write(data, Asked(is_snapshot=False))
        assert [one.kind for one in done.changes] == ["created"], name
        made += done.ids.values()
    assert [one.label for one in markup.spaces()] == ["Main", "Vehicles", "Vehicles", "Colors"]
    shown = markup.render("1234").text
    assert shown.endswith(
        f"  - ID: 1\n    Label: Lion\n    - ID: {made[0]}\n      Label: Eating\n"
        "      Content: Lions primarily eat large mammals.\n"
    )
    assert places(markup, "mc-1") == {("cs-1", None, "in_space"), ("as-1", "sc-1", "has")}


def test_what_follows_a_label_that_stands_is_a_remark(zoo: Markup) -> None:
    assert zoo.load("- ID: 2\n  Label: Lion #which roars\n").transaction is None
    assert zoo.apply("- ID: 2 [updated]\n  Label: Lion #which roars\n").transaction is None
    zoo.apply("- ID: 2 [updated]\n  Label: Tiger #which roars\n")
    assert 'Label: "Tiger #which roars"\n' in zoo.render("2").text


def test_loading_twice_writes_nothing(zoo: Markup) -> None:
    done = zoo.load(ZOO)
    assert (done.transaction, done.changes) == (None, ())


def test_load_asserts_unmarked_nodes_and_places(zoo: Markup) -> None:
    done = zoo.load(
        "- CONCEPTUAL SPACE\n  ID: zoo\n  - ID: 5\n    - ID: 2\n    - ID: 77\n      Label: x\n"
    )
    assert lines(done) == ['placed 2 "Lion" also in zoo', 'created 77 "x" in zoo']


def test_load_skips_deleted_subtrees(markup: Markup) -> None:
    markup.load(
        "- ID: a\n  Label: A\n  - ID: b [deleted]\n    Label: B\n    - ID: c\n      Label: C\n"
    )
    assert markup.render("a").text == "---\n- BRANCH ID: a\n  Label: A\n"
    assert code(lambda: markup.places("b")) == "KM_3001"


def test_load_mints_for_temporary_ids_and_no_number_that_the_text_names(markup: Markup) -> None:
    done = markup.load("- ID: 1\n  Label: A\n- ID: new-1\n  Label: B\n")
    assert done.ids == {"new-1": "2"}
    assert markup.apply("- ID: new-1 [created]\n  Label: C\n").ids == {"new-1": "3"}


def test_load_refuses_an_id_that_another_kind_or_label_has(zoo: Markup) -> None:
    before = zoo.render()
    error = fault(lambda: zoo.load("- ID: 2\n  Label: Tiger\n"))
    assert (error.code.code, error.hint) == ("KM_3004", 'pass ids="fresh"')
    assert code(lambda: zoo.load("- NOTE ID: 2\n  Label: Lion\n")) == "KM_3004"
    assert code(lambda: zoo.load("- CONCEPTUAL SPACE\n  ID: zoo\n  Label: Park\n")) == "KM_3004"
    assert zoo.render() == before


def test_fresh_ids_give_every_id_a_new_one(zoo: Markup) -> None:
    done = zoo.load(ZOO, ids="fresh")
    assert set(done.ids.values()) == {str(one) for one in range(8, 18)}
    (before, after) = (zoo.render("zoo").text, zoo.render(done.ids["zoo"]).text)
    for old, new in done.ids.items():
        before = before.replace(f"ID: {old}\n", f"ID: {new}\n") if old != new else before
    assert [line.split("ID")[0] for line in before.splitlines()] == [
        line.split("ID")[0] for line in after.splitlines()
    ]
    assert done.reply.sections[0].id is not None
    assert done.reply.sections[0].id.text == done.ids["zoo"]


def test_fields_that_a_snapshot_says_are_set(zoo: Markup) -> None:
    done = zoo.load("- ID: 2\n  Label: Lion\n  Content: Sleeps.\n")
    assert lines(done) == ['updated 2 "Lion" in zoo']


def test_a_snapshot_tells_of_what_is_restated_otherwise(markup: Markup) -> None:
    done = markup.load(
        "- ID: a\n  Label: A\n  - ID: b\n    Label: B\n- ID: c\n  Label: C\n  - ID: b\n    Label: X\n"
    )
    assert notices(done) == ["restated"]
    assert "Label: X" not in markup.render().text


def test_another_choice_of_ids_is_refused(markup: Markup) -> None:
    assert code(lambda: markup.load("", ids="new")) == "INVALID_ARGUMENT"  # type: ignore[arg-type]


def test_what_is_rendered_loads_into_a_fresh_memory_and_is_equal(zoo: Markup) -> None:
    for text in EXAMPLES:
        zoo.load(text)
    zoo.apply("- ONTOLOGY SPACE\n  ID: kinds\n  - ID: 7\n    - ID: 2 [created]\n")
    zoo.apply("- ATTRIBUTE SPACE\n  ID: colors\n  - ID: 6\n    - ID: 4 [created]\n")
    zoo.apply("- ID: 5 [updated]\n  Wage: 100\n", extra_fields=True)
    zoo.set_read_only("7")
    text = zoo.render().text
    with recollect.open(":memory:") as fresh:
        other = Markup(fresh)
        other.load(text, extra_fields=True)
        assert other.render().text == text
        assert other.load(text, extra_fields=True).transaction is None


def test_a_dump_carries_places(zoo: Markup) -> None:
    stream = io.BytesIO()
    zoo.nexus.dump(stream)
    with recollect.open(":memory:") as fresh:
        fresh.restore(io.BytesIO(stream.getvalue()))
        assert Markup(fresh).render() == zoo.render()


@pytest.mark.parametrize("text", ["", "---\n"])
def test_an_empty_document_changes_nothing(zoo: Markup, text: str) -> None:
    assert zoo.load(text).transaction is None
    assert zoo.apply(text).transaction is None


def test_a_node_that_kip_made_under_that_name_and_another_id_is_not_made_again(zoo: Markup) -> None:
    zoo.nexus.write('UPSERT { CONCEPT @a { {type: "Node", name: "foo", id: "bar"} } }')
    before = zoo.render()
    error = fault(lambda: zoo.load("- ID: foo\n  Label: Foo\n"))
    assert error.code.code == "KM_3004"
    assert zoo.render() == before
    id = error.hint.removeprefix("write ID: ")
    zoo.apply(f"- ID: 2\n  - ID: {id} [created]\n")
    assert places(zoo, id) == {("zoo", "2", "parent")}


def test_what_the_face_counts_with_is_no_node(zoo: Markup) -> None:
    assert code(lambda: zoo.apply("- ID: 2\n  - ID: markup-counter\n")) == "KM_3001"
    assert code(lambda: zoo.apply("- ID: 2\n  - ID: markup-counter [created]\n")) == "KM_3002"
    assert code(lambda: zoo.load("- ID: markup-counter\n  Label: x\n")) == "KM_3004"


def test_what_is_no_text_is_refused(zoo: Markup) -> None:
    assert code(lambda: zoo.apply(5)) == "INVALID_ARGUMENT"  # type: ignore[arg-type]
    assert code(lambda: zoo.load(None)) == "INVALID_ARGUMENT"  # type: ignore[arg-type]
