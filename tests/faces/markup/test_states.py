"""What each state does in a change: the table of states, row by row."""

from __future__ import annotations

from time import process_time

import pytest
from tests.faces.markup.support import fault, lines, notices, places, refused

from recollect.faces.markup import Markup


def test_created_with_a_temporary_id_makes_a_node_and_a_place(zoo: Markup) -> None:
    done = zoo.apply("- ID: 2\n  - ID: new-1 [created]\n    Label: Eating\n")
    assert done.ids == {"new-1": "8"}
    assert lines(done) == ['created 8 "Eating" in zoo']
    assert places(zoo, "8") == {("zoo", "2", "parent")}
    assert done.transaction == 2


def test_created_with_a_known_id_elsewhere_makes_a_further_place_and_no_field(zoo: Markup) -> None:
    done = zoo.apply("- ID: 5\n  - ID: 2 [created]\n    Label: Other\n")
    assert lines(done) == ['placed 2 "Lion" also in zoo']
    assert notices(done) == ["unmarked"]
    assert places(zoo, "2") == {("zoo", "1", "parent"), ("zoo", "5", "parent")}


def test_created_with_a_known_id_here_is_an_echo(zoo: Markup) -> None:
    done = zoo.apply("- ID: 1\n  - ID: 2 [created]\n    Label: Lion\n")
    assert (lines(done), notices(done), done.transaction) == ([], ["echo"], None)


def test_updated_here_sets_fields_and_clears_empty_ones(zoo: Markup) -> None:
    done = zoo.apply("- ID: 1\n  - ID: 2 [updated]\n    Label: Lioness\n    Content:\n")
    assert lines(done) == ['updated 2 "Lioness" in zoo']
    assert "  Label: Lioness\n" in zoo.render("2").text
    assert "Content" not in zoo.render("2").text


def test_updated_leaves_absent_fields_as_they_are(zoo: Markup) -> None:
    zoo.apply("- ID: 2 [updated]\n  Label: Lioness\n")
    assert "Content: Roars." in zoo.render("2").text


def test_updated_with_what_stands_already_writes_nothing(zoo: Markup) -> None:
    assert zoo.apply("- ID: 2 [updated]\n  Label: Lion\n").transaction is None


def test_updated_elsewhere_in_the_space_moves_the_node_with_all_below(zoo: Markup) -> None:
    done = zoo.apply("- ID: 5\n  - ID: 2 [updated]\n")
    assert lines(done) == ['moved 2 "Lion" to a new place in zoo']
    assert places(zoo, "2") == {("zoo", "5", "parent")}
    assert places(zoo, "3") == {("zoo", "2", "parent")}


def test_updated_from_one_of_several_places_is_refused(zoo: Markup) -> None:
    zoo.apply("- ID: 5\n  - ID: 2 [created]\n")
    assert refused(zoo, "- ID: 4\n  - ID: 2 [updated]\n") == "KM_3011"


def test_updated_in_another_space_makes_a_further_place_and_sets_fields(zoo: Markup) -> None:
    done = zoo.apply(
        "- ONTOLOGY SPACE\n  ID: kinds\n  - ID: 7\n    - ID: 2 [updated]\n      Label: Cat\n"
    )
    assert lines(done) == ['placed 2 "Cat" also in kinds', 'updated 2 "Cat" in zoo']
    assert places(zoo, "2") == {("zoo", "1", "parent"), ("kinds", "7", "is_a")}


def test_deleted_here_closes_the_place_and_the_node_that_has_no_other(zoo: Markup) -> None:
    done = zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n")
    assert lines(done) == ['closed 2 "Lion" in zoo', 'closed 3 "Mane" in zoo']
    assert fault(lambda: zoo.places("2")).code.code == "KM_3001"


def test_deleted_in_one_space_is_retained_in_another(zoo: Markup) -> None:
    zoo.apply("- ONTOLOGY SPACE\n  ID: kinds\n  - ID: 7\n    - ID: 2 [created]\n")
    done = zoo.apply("- CONCEPTUAL SPACE\n  ID: zoo\n  - ID: 1\n    - ID: 2 [deleted]\n")
    assert lines(done) == ['removed 2 "Lion" from zoo', 'closed 3 "Mane" in zoo']
    assert places(zoo, "2") == {("kinds", "7", "is_a")}


@pytest.mark.parametrize(
    "text",
    ["- ID: 1\n  - ID: 2 [deleted]\n", "- ID: 5\n  - ID: 4 [deleted]\n", "- ID: 2 [deleted]\n"],
)
def test_deleted_where_place_or_node_is_gone_is_told_and_changes_nothing(
    zoo: Markup, text: str
) -> None:
    zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n")
    done = zoo.apply(text)
    assert (lines(done), notices(done)) == ([], ["already_deleted"])


def test_deleted_with_a_temporary_id_is_refused(zoo: Markup) -> None:
    assert refused(zoo, "- ID: 1\n  - ID: new-1 [deleted]\n") == "KM_1006"


def test_deleted_space_takes_all_its_places(zoo: Markup) -> None:
    zoo.apply("- ONTOLOGY SPACE\n  ID: kinds\n  - ID: 7\n    - ID: 2 [created]\n")
    done = zoo.apply("- CONCEPTUAL SPACE\n  ID: zoo [deleted]\n")
    assert [one.id for one in zoo.spaces()] == ["colors", "kinds"]
    assert places(zoo, "2") == {("kinds", "7", "is_a")}
    assert {one.id for one in done.changes if one.kind == "closed"} == {"zoo", "1", "3", "4", "5"}
    assert 'removed 2 "Lion" from zoo' in lines(done)
    again = zoo.apply("- CONCEPTUAL SPACE\n  ID: zoo [deleted]\n")
    assert (notices(again), again.transaction) == (["already_deleted"], None)


def test_no_state_is_context_and_asserts_no_place(zoo: Markup) -> None:
    done = zoo.apply("- ID: 1\n  - ID: 3\n    - ID: new-1 [created]\n      Label: Hair\n")
    assert lines(done) == ['created 8 "Hair" in zoo']
    assert places(zoo, "3") == {("zoo", "2", "parent")}


def test_a_changed_field_without_a_state_is_ignored_and_told(zoo: Markup) -> None:
    done = zoo.apply("- ID: 2\n  Label: Tiger\n")
    assert (notices(done), done.transaction) == (["unmarked"], None)


def test_a_read_only_mark_is_an_echo_in_a_change(zoo: Markup) -> None:
    assert zoo.apply("- ID: 2 [read-only]\n").transaction is None
    zoo.apply("- ID: 2 [updated]\n  Label: Tiger\n")


def test_no_state_with_a_temporary_id_creates_it_and_tells(zoo: Markup) -> None:
    done = zoo.apply("- ID: 2\n  - ID: new-1\n    Label: Tail\n")
    assert (lines(done), notices(done)) == (['created 8 "Tail" in zoo'], ["unmarked"])


def test_nodes_named_as_context_must_exist(zoo: Markup) -> None:
    error = fault(lambda: zoo.apply("- ID: 99\n"))
    assert (error.code.code, error.code.http) == ("KM_3001", 404)


def test_a_permanent_id_that_nobody_assigned_cannot_be_created(zoo: Markup) -> None:
    assert refused(zoo, "- ID: 2\n  - ID: 99 [created]\n") == "KM_3002"


def test_a_deleted_subtree_is_skipped_and_nothing_is_created_in_it(zoo: Markup) -> None:
    zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n    Label: Other\n    - ID: 99\n")
    assert refused(zoo, "- ID: 1\n  - ID: 4 [deleted]\n    - ID: new-1 [created]\n") == "KM_1006"


def test_a_child_moved_out_survives_its_parent(zoo: Markup) -> None:
    done = zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n- ID: 4\n  - ID: 3 [updated]\n")
    assert lines(done) == ['moved 3 "Mane" to a new place in zoo', 'closed 2 "Lion" in zoo']
    assert places(zoo, "3") == {("zoo", "4", "parent")}


def test_deleting_and_creating_the_same_place_leaves_it(zoo: Markup) -> None:
    done = zoo.apply("- ID: 1\n  - ID: 4 [deleted]\n- ID: 5\n  - ID: 4 [created]\n")
    assert places(zoo, "4") == {("zoo", "5", "parent")}
    assert done.transaction == 2


def test_a_node_that_something_else_is_linked_with_is_kept(zoo: Markup) -> None:
    zoo.nexus.write(
        'UPSERT { CONCEPT @p { {type: "Person", name: "Ann"} '
        'SET PROPOSITIONS { ("likes", {type: "Node", name: "3"}) } } }'
    )
    done = zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n")
    assert lines(done) == ['removed 3 "Mane" from zoo', 'closed 2 "Lion" in zoo']
    assert notices(done) == ["kept"]
    assert places(zoo, "3") == set()


def test_a_node_that_would_stand_below_itself_is_refused_with_the_ids(zoo: Markup) -> None:
    assert refused(zoo, "- ID: 3\n  - ID: 2 [created]\n") == "KM_3006"
    error = fault(lambda: zoo.apply("- ID: 3\n  - ID: 1 [updated]\n"))
    assert error.details["ids"] == ["1", "2", "3"]
    assert refused(zoo, "- ID: 2\n  - ID: 2 [created]\n") == "KM_3006"
    assert (
        refused(zoo, "- ID: new-1 [created]\n  - ID: new-2 [created]\n    - ID: new-1 [created]\n")
        == "KM_3006"
    )


def test_two_nodes_may_change_places_in_one_text(zoo: Markup) -> None:
    zoo.apply("- ID: 5\n  - ID: 2 [updated]\n    - ID: 1 [updated]\n")
    assert places(zoo, "2") == {("zoo", "5", "parent")}
    assert places(zoo, "1") == {("zoo", "2", "parent")}


def test_all_faults_are_found_before_anything_is_written(zoo: Markup) -> None:
    error = fault(
        lambda: zoo.apply("- ID: 99\n- ID: 2\n  - ID: 98 [created]\n- ID: new-1 [deleted]\n")
    )
    wires = error.details["errors"]
    assert isinstance(wires, list)
    assert [one["code"] for one in wires] == ["KM_3001", "KM_3002", "KM_1006"]
    assert [one["line"] for one in wires] == [1, 3, 4]


def test_an_unknown_id_hides_no_field_that_may_not_be_there(zoo: Markup) -> None:
    error = fault(lambda: zoo.apply("- ID: 99\n- ID: 2 [updated]\n  Colour: red\n"))
    wires = error.details["errors"]
    assert isinstance(wires, list)
    assert [one["code"] for one in wires] == ["KM_3001", "KM_1011"]


def test_a_dry_run_tells_the_same_and_keeps_nothing(zoo: Markup) -> None:
    text = "- ID: 2\n  - ID: new-1 [created]\n    Label: Eating\n"
    dry = zoo.apply(text, dry_run=True)
    assert (dry.is_dry_run, dry.transaction) == (True, None)
    done = zoo.apply(text)
    assert (dry.changes, dry.ids, dry.reply) == (done.changes, done.ids, done.reply)


def test_a_text_that_is_not_complete_is_refused(zoo: Markup) -> None:
    assert refused(zoo, "- ID: 2 [updated]\n  Label: Lio", complete=False) == "KM_2008"


def test_two_definitions_of_one_temporary_id_are_refused(zoo: Markup) -> None:
    text = "- ID: 2\n  - ID: new-1 [created]\n    Label: A\n- ID: 4\n  - ID: new-1 [created]\n    Label: B\n"
    assert refused(zoo, text) == "KM_3004"


def test_two_updated_values_of_one_field_are_refused_and_equal_ones_are_fine(zoo: Markup) -> None:
    assert (
        refused(zoo, "- ID: 2 [updated]\n  Label: A\n- ID: 2 [updated]\n  Label: B\n") == "KM_3004"
    )
    zoo.apply("- ID: 2 [updated]\n  Label: A\n- ID: 2 [updated]\n  Label: A\n")


def test_a_restatement_that_differs_from_the_updated_one_is_ignored_and_told(zoo: Markup) -> None:
    done = zoo.apply("- ID: 2 [updated]\n  Label: A\n- ID: 2\n  Label: B\n")
    assert notices(done) == ["restated"]
    assert "Label: A" in zoo.render("2").text


def test_a_new_node_that_says_nothing_is_told(zoo: Markup) -> None:
    assert notices(zoo.apply("- ID: 2\n  - ID: new-1 [created]\n")) == ["empty"]


def test_a_created_branch_is_a_plain_node_and_is_told(zoo: Markup) -> None:
    done = zoo.apply("- ID: 2\n  - BRANCH ID: new-1 [created]\n    Label: Food\n")
    assert notices(done) == ["branch"]
    assert "- ID: 8\n" in zoo.render("2").text


def test_the_reply_has_permanent_ids_and_states(zoo: Markup) -> None:
    done = zoo.apply("- ID: 2\n  - ID: new-1\n    Label: Tail\n    - ID: new-2 [created]\n")
    (section,) = done.reply.sections
    told = [(one.id.text, one.state) for one in section.walk()]
    assert told == [("2", None), ("8", "created"), ("9", "created")]


def test_an_id_that_was_used_once_never_comes_again(zoo: Markup) -> None:
    zoo.apply("- ID: 2\n  - ID: new-1 [created]\n    Label: A\n")
    zoo.apply("- ID: 8 [deleted]\n")
    assert zoo.apply("- ID: 2\n  - ID: new-1 [created]\n    Label: B\n").ids == {"new-1": "9"}
    zoo.purge("9")
    assert zoo.apply("- ID: 2\n  - ID: new-1 [created]\n    Label: C\n").ids == {"new-1": "10"}


def test_an_unknown_field_is_refused_unless_it_is_allowed(zoo: Markup) -> None:
    text = "- ID: 2 [updated]\n  Weight: 190 kg\n"
    assert refused(zoo, text) == "KM_1011"
    zoo.apply(text, extra_fields=True)
    assert "Weight: 190 kg" in zoo.render("2").text
    assert zoo.apply("- ID: 2\n  Weight: 190 kg\n").transaction is None
    zoo.apply("- ID: 2 [updated]\n  Weight: 200 kg\n")
    assert refused(zoo, "- ID: 2 [updated]\n  kind: x\n", extra_fields=True) == "KM_1011"


def test_what_the_memory_cannot_keep_is_refused_with_its_place(zoo: Markup) -> None:
    error = fault(lambda: zoo.apply('- ID: 2 [updated]\n  Label: "a\\u0000b"\n'))
    assert (error.code.code, error.to_wire()["line"]) == ("KM_1001", 2)
    assert refused(zoo, '- ID: "a\\u0000b"\n') == "KM_1004"


EDITS = [
    ("- ID: zoo", "- SPACE ID: zoo"),
    ("- NOTE ID: 2", "- ID: 2"),
    ("- ID: q [created]", "- ID: new-1 [created]"),
    ("- ID: kinsd [deleted]", None),
    ('- ID: "zzz" [created]', "- ID: new-1 [created]"),
    ("- ID: 2 [updated]\n  Table: x", None),
    ("- ID: 2 [updated]\n  Value: x", "- ID: 2 [updated]\n  Content: x"),
]


@pytest.mark.parametrize(("text", "mended"), EDITS, ids=[one for one, _ in EDITS])
def test_a_fault_on_the_graph_has_its_place_a_hint_and_an_edit_where_one_mends_it(
    zoo: Markup, text: str, mended: str | None
) -> None:
    error = fault(lambda: zoo.apply(text))
    assert error.span is not None
    assert error.hint
    assert (error.fix and error.fix.apply(text)) == mended


def test_each_id_that_nothing_has_becomes_a_new_one_of_its_own(zoo: Markup) -> None:
    text = "".join(f"- ID: {one} [created]\n  Label: x\n" for one in ("q", "r", "q"))
    told = fault(lambda: zoo.apply(text)).details["errors"]
    assert [one["fix"]["text"] for one in told] == ["new-1", "new-2", "new-1"]


def test_the_cost_of_ids_that_nothing_has_grows_with_the_text_and_no_faster(zoo: Markup) -> None:
    def seconds(state: str, count: int) -> float:
        text = "".join(f"- ID: q{one} [{state}]\n  Label: x\n" for one in range(count))
        began = process_time()
        fault(lambda: zoo.apply(text))
        return process_time() - began

    for state in ("created", "updated"):
        assert seconds(state, 8_000) < 5  # and half a minute where it grows with the square


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('- ID: "2"\n  Label: Tiger', '- ID: "2" [updated]\n  Label: Tiger'),
        ("- ID: new-1\n  Label: Tiger", "- ID: new-1 [created]\n  Label: Tiger"),
        ("- ID: new-1 [updated]\n  Label: Tiger", None),
    ],
)
def test_an_id_is_marked_as_it_is_written_and_never_twice(
    zoo: Markup, text: str, mended: str | None
) -> None:
    (notice,) = zoo.apply(text, dry_run=True).notices
    assert (notice.fix and notice.fix.apply(text)) == mended
    assert mended is None or not zoo.apply(mended, dry_run=True).notices


def test_a_notice_stands_at_the_field_it_means_with_the_edit_that_marks_it(zoo: Markup) -> None:
    text = "- ID: 2\n  Label: Lion\n  Content: Purrs.\n"
    (notice,) = zoo.apply(text).notices
    assert notice.span is not None
    assert text[notice.span.start : notice.span.end] == "Content: Purrs."
    assert notice.fix is not None
    assert lines(zoo.apply(notice.fix.apply(text))) == ['updated 2 "Lion" in zoo']
    (notice,) = zoo.apply("Sure:\n- ID: 2\n  Label: Cat\n", repair=True).notices[1:]
    assert notice.span is None  # the text it would point into is no one's


def test_a_fault_below_stands_where_it_is_deleted(zoo: Markup) -> None:
    zoo.set_read_only("3")
    zoo.set_read_only("kinds")
    for text in ("- ID: 5\n- ID: 1 [deleted]\n", "\n- ONTOLOGY SPACE [deleted]\n  ID: kinds\n"):
        error = fault(lambda text=text: zoo.apply(text))
        assert (error.code.code, error.to_wire()["line"]) == ("KM_3003", 2)
        assert error.hint


def test_what_a_model_writes_is_repaired_where_it_is_asked_for(zoo: Markup) -> None:
    text = "Sure:\n- id: 2\n  - id: [new-1] [Created]\n    label: Tail\n"
    assert refused(zoo, text) == "KM_1007"
    done = zoo.apply(text, repair=True)
    assert lines(done) == ['created 8 "Tail" in zoo']
    assert set(notices(done)) == {"repaired"}
    error = fault(lambda: zoo.apply(text.replace("2", "99"), repair=True))
    assert "- ID: 99" in str(error)
    assert zoo.apply("- ID: 2 [updated]\n  Label: x\n", repair=True).notices == ()
    assert refused(zoo, "- ID: 2 [new]\n", repair=True) == "KM_1006"
