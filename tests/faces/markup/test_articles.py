"""Templates and articles: fields, their types, and the values that articles give them."""

from __future__ import annotations

import pytest
from tests.faces.markup.support import fault, lines, notices, refused

from recollect.faces.markup import Markup

FORM = """- CONCEPTUAL SPACE
  ID: docs
  Label: Docs
  - TEMPLATE ID: template-1
    Label: Example Template
    - ID: age
      Label: Age
      Content: number
    - ID: friend
      Label: Friend
      Content: node
    - ID: note
      Label: Remark
      Content: What else there is to say
  - TEMPLATE ID: template-2
    Label: Other
    - ID: other
      Label: Other
  - ARTICLE ID: article-1
    Use template: template-1
    - ID: age
      Value: 100 years
"""


@pytest.fixture
def form(markup: Markup) -> Markup:
    markup.load(FORM)
    return markup


def value(markup: Markup, field: str) -> dict[str, object] | None:
    """Return what the link of a value says."""
    found = markup.nexus.joints.at(["article-1"], "subject", ("field_value",))
    return next((dict(one.link.attributes) for one in found if one.link.object == field), None)


def test_a_number_takes_a_leading_number_and_a_unit(form: Markup) -> None:
    assert value(form, "age") == {"value": "100 years", "number": 100, "unit": "years"}
    form.apply("- ARTICLE ID: article-1 [updated]\n  - ID: age\n    Value: 7\n")
    assert value(form, "age") == {"value": "7", "number": 7}


def test_an_unmarked_field_of_a_marked_article_counts_and_else_needs_a_state(form: Markup) -> None:
    done = form.apply("- ARTICLE ID: article-1\n  - ID: age\n    Value: 5\n")
    assert (notices(done), done.transaction) == (["unmarked"], None)
    done = form.apply("- ARTICLE ID: article-1\n  - ID: age [updated]\n    Value: 5\n")
    assert lines(done) == ["updated article-1 in docs"]
    assert value(form, "age") == {"value": "5", "number": 5}


def test_a_reference_to_a_field_is_no_place(form: Markup) -> None:
    form.apply("- ARTICLE ID: article-1\n  - ID: age [updated]\n    Value: 5\n")
    assert [one.parent for one in form.places("age")] == ["template-1"]


def test_an_empty_value_or_a_deleted_field_clears_it(form: Markup) -> None:
    form.apply("- ARTICLE ID: article-1\n  - ID: age [updated]\n    Value:\n")
    assert value(form, "age") is None
    form.apply("- ARTICLE ID: article-1\n  - ID: age [updated]\n    Value: 5\n")
    form.apply("- ARTICLE ID: article-1\n  - ID: age [deleted]\n")
    assert value(form, "age") is None
    assert form.places("age")


def test_a_value_of_another_type_is_refused_with_field_type_and_value(form: Markup) -> None:
    text = "- ARTICLE ID: article-1\n  - ID: age [updated]\n    Value: old\n"
    details = fault(lambda: form.apply(text)).details
    assert (details["field"], details["type"], details["value"]) == ("age", "number", "old")
    assert refused(form, text) == "KM_3008"


def test_a_field_of_another_template_is_refused(form: Markup) -> None:
    text = "- ARTICLE ID: article-1\n  - ID: other [updated]\n    Value: x\n"
    assert refused(form, text) == "KM_3008"


def test_a_value_below_no_article_is_refused(form: Markup) -> None:
    assert refused(form, "- ID: age [updated]\n  Value: 5\n") == "KM_3008"


def test_a_field_of_type_node_is_joined_with_the_node(form: Markup) -> None:
    form.apply("- ARTICLE ID: article-1\n  - ID: friend [updated]\n    Value: template-2\n")
    (joint,) = form.nexus.joints.at(["article-1"], "subject", ("field_node",))
    assert (joint.link.object, joint.key) == ("template-2", "friend")
    form.apply(
        "- ARTICLE ID: article-1\n  - ID: friend [updated]\n    Value: new-1\n"
        "- ID: new-1 [created]\n  Label: Ann\n"
    )
    (joint,) = form.nexus.joints.at(["article-1"], "subject", ("field_node",))
    assert joint.link.object == "1"
    assert value(form, "friend") == {"value": "1"}
    text = "- ARTICLE ID: article-1\n  - ID: friend [updated]\n    Value: nobody\n"
    assert refused(form, text) == "KM_3001"


def test_template_and_article_may_come_in_one_text(markup: Markup) -> None:
    done = markup.apply(
        "- TEMPLATE ID: new-1 [created]\n  Label: Form\n  - ID: new-2 [created]\n    Label: Age\n"
        "    Content: integer\n- ARTICLE ID: new-3 [created]\n  Use template: new-1\n"
        "  - ID: new-2\n    Value: 5\n"
    )
    assert [one.kind for one in done.changes] == ["created"] * 4
    text = markup.render(done.ids["new-3"]).text
    assert f"- ARTICLE ID: {done.ids['new-3']}\n  Use template: {done.ids['new-1']}\n" in text
    assert "Value: 5" in text


def test_a_template_that_is_none_is_refused(form: Markup) -> None:
    assert refused(form, "- ARTICLE ID: article-1 [updated]\n  Use template: age\n") == "KM_3001"
    assert refused(form, "- ARTICLE ID: article-1 [updated]\n  Use template: no\n") == "KM_3001"


def test_a_step_may_use_several_functions_in_order(markup: Markup) -> None:
    markup.load(
        "- FUNCTION ID: callMe\n  Label: Call\n- FUNCTION ID: other\n  Label: Other\n"
        "- WORKFLOW ID: 52\n  Label: Flow\n  - ID: 9876\n    Label: Step 1\n"
        "    Use function: other, callMe\n"
    )
    assert "Use function: other, callMe\n" in markup.render("52").text
    markup.apply("- ID: 9876 [updated]\n  Use function: callMe\n")
    assert "Use function: callMe\n" in markup.render("52").text


def test_an_action_holds_the_values_of_the_arguments_of_its_function(markup: Markup) -> None:
    markup.load(
        "- FUNCTION ID: callMe\n  Label: Call\n  - ID: callMe-argument-1\n"
        "    Label: Email-address\n    Content: email\n"
    )
    text = "- ACTION ID: new-1 [created]\n  Use function: callMe\n  - ID: callMe-argument-1\n    Value: {}\n"
    markup.apply(text.format("a@b.example"))
    assert "Value: a@b.example" in markup.render("1").text
    assert refused(markup, text.format("nobody")) == "KM_3008"


GOOD = [
    ("text", "anything"),
    ("string", ""),
    ("number", "100 years"),
    ("number", "-1.5e3"),
    ("number", "5%"),
    ("integer", "42"),
    ("boolean", "yes"),
    ("boolean", "false"),
    ("date", "2024"),
    ("date", "2024-02"),
    ("date", "2024-02-29"),
    ("datetime", "2024-02-29T10:00:00Z"),
    ("datetime", "2024-02-29 10:00"),
    ("datetime", "2024"),
    ("email", "a@b.example"),
    ("url", "https://a.example/x?y#z"),
    ("one of: red, blue", "red"),
    ("list of integer", "1, 2, 3"),
    ("list of one of: a, b", "a, b"),
    ("How it feels", "soft"),
]
BAD = [
    ("number", "years 100"),
    ("number", "1e999"),
    ("number", "10-20"),
    ("integer", "4.5"),
    ("boolean", "maybe"),
    ("date", "2023-02-29"),
    ("date", "29.02.2024"),
    ("datetime", "2024-02-29T25:00"),
    ("email", "a@b"),
    ("email", "a b@c.example"),
    ("url", "ftp://a.example"),
    ("url", "https://"),
    ("one of: red, blue", "green"),
    ("list of integer", "1, two"),
]


def typed(markup: Markup, kind: str, given: str) -> None:
    markup.apply(
        f"- TEMPLATE ID: new-1 [created]\n  Label: T\n  - ID: new-2 [created]\n    Label: F\n"
        f"    Content: {kind}\n- ARTICLE ID: new-3 [created]\n  Use template: new-1\n"
        f"  - ID: new-2\n    Value: {given}\n"
    )


@pytest.mark.parametrize(("kind", "given"), GOOD)
def test_a_value_of_the_type_is_taken(markup: Markup, kind: str, given: str) -> None:
    typed(markup, kind, given)


@pytest.mark.parametrize(("kind", "given"), BAD)
def test_a_value_that_is_not_of_the_type_is_refused(markup: Markup, kind: str, given: str) -> None:
    assert fault(lambda: typed(markup, kind, given)).code.code == "KM_3008"


@pytest.mark.parametrize(
    ("code", "field", "text"),
    [
        (
            "KM_1011",
            "Colour: tan",
            "- ID: 1 [updated]\n  Content: `\n    Colour: no\n  `\n  Colour: tan\n",
        ),
        ("KM_1011", "Colour: tan", "- ID: 1 [updated]\r\n  - ID: 2\r\n  Colour: tan\r\n"),
        (
            "KM_3001",
            "Use template: 1",
            "- ARTICLE ID: new-1 [created]\n  Label: x\n  Use template: 1",
        ),
        ("KM_3008", "Value: 3", "- ID: 1 [updated]\n  Label: x\n  Value: 3\n"),
        ("KM_3004", "Label: b", "- ID: new-1 [created]\n  Label: a\n- ID: new-1\n  Label: b\n"),
        ("KM_1011", "Hue:", "# all\n- CONCEPTUAL SPACE\n  Label: x\n  Hue:\n"),
    ],
)
def test_a_fault_of_a_field_stands_at_the_field(
    zoo: Markup, code: str, field: str, text: str
) -> None:
    error = fault(lambda: zoo.apply(text))
    assert error.span is not None
    assert (error.code.code, text[error.span.start : error.span.end]) == (code, field)


def test_a_fault_of_a_field_in_an_answer_stands_at_the_field(zoo: Markup) -> None:
    begun = zoo.exchanges.begin("Paint it.", root="2")
    data = "- BRANCH ID: 2 [updated]\n  Colour: tan\n"
    text = f"Context: command\nResponse: data\nData:\n{data}"
    error = fault(lambda: zoo.exchanges.answer(begun.id, text))
    assert error.span is not None
    assert text[error.span.start : error.span.end] == "Colour: tan"
