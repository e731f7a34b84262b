"""What may not change: read-only nodes, what an exchange did not show, what has changed since."""

from __future__ import annotations

from tests.faces.markup.support import code, fault, lines, places, refused

from recollect.faces.markup import Markup
from recollect.faces.markup.decision import AnswerScope, Asked
from recollect.faces.markup.parser import parse
from recollect.model import PutConcept


def test_a_base_that_is_still_to_come_is_refused(zoo: Markup) -> None:
    assert refused(zoo, "- ID: 2 [updated]\n  Label: x\n", base=99_999) == "INVALID_ARGUMENT"


def test_a_read_only_node_keeps_fields_place_and_itself(zoo: Markup) -> None:
    zoo.set_read_only("2")
    assert refused(zoo, "- ID: 2 [updated]\n  Label: x\n") == "KM_3003"
    assert refused(zoo, "- ID: 5\n  - ID: 2 [updated]\n") == "KM_3003"
    assert refused(zoo, "- ID: 1\n  - ID: 2 [deleted]\n") == "KM_3003"


def test_a_cascade_that_would_take_a_read_only_node_is_refused(zoo: Markup) -> None:
    zoo.set_read_only("3")
    assert refused(zoo, "- ID: 1 [deleted]\n") == "KM_3003"
    assert refused(zoo, "- CONCEPTUAL SPACE\n  ID: zoo [deleted]\n") == "KM_3003"


def test_children_may_be_added_to_a_read_only_node(zoo: Markup) -> None:
    zoo.set_read_only("2")
    zoo.apply("- ID: 2\n  - ID: new-1 [created]\n    Label: x\n")
    assert places(zoo, "8") == {("zoo", "2", "parent")}


def test_a_read_only_space_protects_all_in_it(zoo: Markup) -> None:
    zoo.set_read_only("zoo")
    assert refused(zoo, "- ID: 2 [updated]\n  Label: x\n") == "KM_3003"
    assert refused(zoo, "- ID: 1\n  - ID: 4 [deleted]\n") == "KM_3003"
    assert refused(zoo, "- CONCEPTUAL SPACE\n  ID: zoo [updated]\n  Label: x\n") == "KM_3003"
    assert "ID: zoo [read-only]" in zoo.render("zoo").text
    zoo.apply("- ID: 7 [updated]\n  Label: x\n")


def test_read_only_is_set_by_load_and_taken_back_by_the_call(markup: Markup) -> None:
    markup.load("- ID: a [read-only]\n  Label: A\n")
    assert refused(markup, "- ID: a [updated]\n  Label: x\n") == "KM_3003"
    assert "- BRANCH ID: a [read-only]\n" in markup.render("a").text
    markup.set_read_only("a", value=False)
    markup.apply("- ID: a [updated]\n  Label: x\n")


def test_what_a_call_keeps_stays_its_own(zoo: Markup) -> None:
    zoo.nexus.write([PutConcept("Claim", "c-1", {"text": "x"}, id="c-1")])
    assert code(lambda: zoo.set_read_only("c-1", value=False)) == "KIP_3004"


def test_what_changed_since_the_base_is_refused_with_what_stands_now(zoo: Markup) -> None:
    base = zoo.render().transaction
    assert base is not None
    zoo.apply("- ID: 2 [updated]\n  Label: Cat\n")
    error = fault(lambda: zoo.apply("- ID: 2 [updated]\n  Label: Dog\n", base=base))
    assert (error.code.code, error.code.retry) == ("KM_3005", "refresh_then_retry")
    assert error.details["now"] == {"label": "Cat", "content": "Roars."}
    assert refused(zoo, "- ID: 1\n  - ID: 2 [deleted]\n", base=base) == "KM_3005"


def test_other_elements_that_changed_since_the_base_do_not_matter(zoo: Markup) -> None:
    base = zoo.render().transaction
    zoo.apply("- ID: 2 [updated]\n  Label: Cat\n- ID: 5\n  - ID: 3 [updated]\n")
    zoo.apply("- ID: 4 [updated]\n  Label: Horse\n", base=base)
    assert refused(zoo, "- ID: 2\n  - ID: 3 [updated]\n", base=base) == "KM_3005"


def scoped(zoo: Markup, text: str, **scope: object) -> list[str]:
    """Apply a text as an answer to what was shown."""
    shown = scope.pop("shown", frozenset({"2"}))
    asked = Asked(is_snapshot=False, scope=AnswerScope(shown, **scope))  # type: ignore[arg-type]
    return lines(zoo.write(parse(text), asked, source=text))


def test_an_answer_may_change_what_was_shown_and_create_below_it(zoo: Markup) -> None:
    text = "- ID: 2 [updated]\n  Label: Cat\n  - ID: new-1 [created]\n    Label: x\n"
    assert scoped(zoo, text) == ['created 8 "x" in zoo', 'updated 2 "Cat" in zoo']
    assert scoped(zoo, "- ID: new-1 [created]\n  Label: y\n")[-1] == 'created 9 "y" in main'


def test_an_answer_that_changes_what_was_not_shown_is_refused(zoo: Markup) -> None:
    for text in (
        "- ID: 4 [updated]\n  Label: x\n",
        "- ID: 4\n  - ID: new-1 [created]\n    Label: x\n",
        "- ID: 1\n  - ID: 4 [deleted]\n",
        "- ID: 2 [deleted]\n",  # takes 3, which was not shown
        "- ATTRIBUTE SPACE\n  Label: Sizes\n",
    ):
        assert code(lambda text=text: scoped(zoo, text)) == "KM_3007"  # type: ignore[misc]


def test_a_content_that_was_shown_shortened_is_not_replaced(zoo: Markup) -> None:
    shortened = frozenset({"2"})
    text = "- ID: 2 [updated]\n  Content: x\n"
    assert code(lambda: scoped(zoo, text, shortened=shortened)) == "KM_3012"
    scoped(zoo, "- ID: 2 [updated]\n  Label: x\n", shortened=shortened)


def test_a_temporary_id_of_an_earlier_answer_is_refused_and_the_permanent_one_told(
    zoo: Markup,
) -> None:
    text = "- ID: 2\n  - ID: new-1\n    Label: x\n"
    assert fault(lambda: scoped(zoo, text, mapped={"new-1": "3"})).known == ("3",)
    made = "- ID: 2\n  - ID: new-1 [created]\n    Label: x\n"
    assert scoped(zoo, made, mapped={"new-1": "3"}) == ['created 8 "x" in zoo']


def test_what_else_is_written_goes_into_the_same_transaction(zoo: Markup) -> None:
    text = "- ID: 2 [updated]\n  Label: Cat\n"
    applied = zoo.write(
        parse(text),
        Asked(is_snapshot=False),
        source=text,
        also=lambda told: [PutConcept("Seen", str(len(told.changes)))],
    )
    (logged,) = zoo.nexus.changes(since=(applied.transaction or 0) - 1)
    assert len(logged.changes) == 2
