"""The language of documents: what the strict reader reads, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from faces.markup import examples, trees
from recollect import RecollectError
from recollect.faces import markup
from recollect.faces.markup import (
    Document,
    Id,
    Node,
    Space,
    check,
    format_text,
    parse,
    print_text,
    repair,
)


def only(text: str) -> Node:
    (section,) = parse(text).sections
    (node,) = section.nodes
    return node


def refused(text: str, read=parse) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        read(text)
    return caught.value


@pytest.mark.parametrize("text", examples.DOCUMENTS.values(), ids=examples.DOCUMENTS)
def test_an_example_of_the_specification_is_read_and_printed_stably(text):
    document = parse(text)
    printed = print_text(document)
    assert parse(printed) == document
    assert print_text(parse(printed)) == printed
    assert check(text) == ()
    assert repair(text).notices == ()


@pytest.mark.parametrize("text", examples.FIELDS.values(), ids=examples.FIELDS)
def test_a_content_of_the_specification_is_read(text):
    lines = "\n".join(f"  {line}" for line in text.split("\n"))
    assert only(f"- ID: 1\n{lines}").content in (
        "This node's content.",
        "This is detailed content.",
    )


@given(trees.DOCUMENTS)
def test_what_is_printed_is_read_as_the_same_document(document):
    text = print_text(document)
    assert parse(text) == document
    assert print_text(parse(text)) == text
    assert repair(text).notices == ()
    assert format_text(text) == text


@pytest.mark.parametrize("odd", ["\u2028", "\x0b", "\u2028 [created]"])
def test_an_odd_space_behind_an_id_is_a_fault_of_its_header(odd: str):
    faults = check(f"- CONCEPTUAL SPACE\n  ID: new-10{odd}\n")
    assert "KM_1003" in {one.code for one in faults}


@settings(max_examples=300)
@given(trees.DOCUMENTS, st.integers(0, 10_000), st.sampled_from([*trees.FORGED, "", "x", "  "]))
def test_a_changed_text_raises_errors_of_knowing_markup_only(document, at, text):
    given_text = print_text(document)
    place = at % (len(given_text) + 1)
    changed = given_text[:place] + text + given_text[place + 1 :]
    try:
        parse(changed)
        assert check(changed) == ()
    except RecollectError as error:
        assert error.code.code.startswith("KM_")
        assert error.span is not None
        assert error.hint
        assert check(changed)[0].code.startswith("KM_")
        assert error.fix is None or error.fix.apply(changed) != changed
    for _ in range(100):  # one edit after the other makes the text strict
        fixes = [one.fix for one in check(changed) if one.fix is not None]
        if not fixes:
            return
        changed = fixes[0].apply(changed)
    pytest.fail(changed)


@pytest.mark.parametrize("space_type", ["CONCEPTUAL SPACE", "ATTRIBUTE SPACE", "ONTOLOGY SPACE"])
def test_the_header_of_a_space_is_printed_stably(space_type):
    text = f"---\n- {space_type}\n  Label: Name\n"
    assert print_text(parse(text)) == text


def test_the_states_are_created_updated_deleted_and_read_only():
    states = ("created", "updated", "deleted", "read-only")
    assert [only(f"- ID: 1 [{one}]").state for one in states] == [*states]
    assert set(refused("- ID: 1 [moved]").known) == set(states)


def test_the_formatting_of_a_text_is_kept_as_it_is():
    text = "# Title\n\n- **bold**, _italic_ and `code`\n  1. one  \n> quoted"
    document = Document((Space(nodes=(Node(Id("1"), fields={"Content": text}),)),))
    assert parse(print_text(document)) == document


def test_the_authors_of_the_language_are_named():
    root = Path(__file__).parents[3]
    for file in ("NOTICE", "docs/markup.md"):
        said = (root / file).read_text(encoding="utf-8")
        assert "Knowing Markup" in said and "attribution" in said


def test_a_space_is_introduced_with_a_header_and_has_one_of_three_types():
    (space,) = parse("---\n- ONTOLOGY SPACE\n  ID: s-1 [created]\n  Label: Kinds\n").sections
    assert space == Space("ONTOLOGY SPACE", Id("s-1"), ("created",), {"Label": "Kinds"})
    error = refused("- TEMPORAL SPACE")
    assert error.code.code == "KM_1003"
    assert set(error.known) == {"CONCEPTUAL SPACE", "ATTRIBUTE SPACE", "ONTOLOGY SPACE"}


def test_the_nodes_of_a_space_stand_deeper_or_at_its_own_column():
    deeper = parse("- CONCEPTUAL SPACE\n  - ID: 1\n")
    level = parse("- CONCEPTUAL SPACE\n- ID: 1\n")
    assert deeper == level


def test_a_separator_ends_a_space():
    first, second = parse("- CONCEPTUAL SPACE\n---\n- ID: 1\n").sections
    assert (first.kind, first.nodes, second.kind) == ("CONCEPTUAL SPACE", (), None)


def test_a_separator_without_nodes_says_nothing():
    assert parse("---\n---\n") == parse("") == Document()
    assert print_text(Document()) == ""


@pytest.mark.parametrize(
    ("text", "is_temporary"),
    [("new-1", True), ('"new-1"', False), ("new-york", False), ("new-", False), ("12", False)],
)
def test_a_temporary_id_is_new_and_digits_and_bare(text, is_temporary):
    assert only(f"- ID: {text}").id == Id(text.strip('"'), is_temporary)


def test_the_id_of_an_extension_may_stand_on_the_next_line():
    assert only("- ARTICLE\n  ID: a-1 [updated]\n") == Node(Id("a-1"), "ARTICLE", ("updated",))


def test_a_dedent_between_two_levels_makes_a_sibling_of_the_deeper_one():
    node = only("- ID: 1\n    - ID: 2\n  - ID: 3\n")
    assert [one.id.text for one in node.nodes] == ["2", "3"]


def test_a_field_belongs_to_the_latest_header_whose_column_is_smaller():
    node = only("- ID: 1\n  - ID: 2\n  Label: of one\n    Content: of two\n")
    assert node.label == "of one"
    assert node.nodes[0].content == "of two"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (r"C:\new", r"C:\new"),
        ('"a\\tb" # c', "a\tb"),
        ('"To be" or "not"', '"To be" or "not"'),
        ("Car [updated]", "Car [updated]"),
        ("a # b", "a # b"),
        ("", ""),
    ],
)
def test_a_value_goes_to_the_end_of_its_line_unless_it_is_one_json_string(value, said):
    assert only(f"- ID: 1\n  Label: {value}").label == said


def test_text_in_a_block_is_never_structure():
    text = "- ID: 1\n  Content: ``\n    - ID: 2\n    `\n    ---\n      # x\n  ``\n  - ID: 3\n"
    node = only(text)
    assert node.content == "- ID: 2\n`\n---\n  # x"
    assert [one.id.text for one in node.nodes] == ["3"]


def test_a_block_loses_the_indentation_its_lines_share_at_most_two_beyond_its_key():
    text = "- ID: 1\n  Content: `\n        deep\n\n      less  \n  `\n"
    assert only(text).content == "    deep\n\n  less  "


def test_what_follows_a_blank_and_a_mark_is_a_remark_if_it_precedes_as_another_appearance_has_it():
    document = parse(examples.DOCUMENTS["4.7 references"])
    assert [one.label for one in document.walk()] == ["Car", "Blue", "Car"]
    alone = parse("- ID: 1\n  Label: Car #5\n- ID: 2\n  Label: Car\n")
    assert [one.label for one in alone.walk()] == ["Car #5", "Car"]


def test_comments_are_no_part_of_a_document():
    text = "# one\n- ID: 1 [created] # two\n  # three\n  Label: x\n"
    assert parse(text) == parse("- ID: 1 [created]\n  Label: x\n")


def test_a_byte_order_mark_and_other_line_ends_are_read():
    text = "\ufeff- ID: 1\r\n  Label: a\r  zzz"
    error = refused(text)
    assert error.span is not None
    assert text[error.span.start : error.span.end] == "zzz"
    assert parse("- ID: 1\r\n  Label: a\r\n") == parse("- ID: 1\n  Label: a\n")


FAULTS = [
    ("KM_1001", "- ID: 1\n  Label: a\x07", "- ID: 1\n  Label: a"),
    ("KM_1002", "- ID: 1\n \t- ID: 2", "- ID: 1\n   - ID: 2"),
    ("KM_1003", "- Node", "- ID: new-1 [created]\n  Label: Node"),
    (
        "KM_1003",
        "- ID: new-3\n  - Lion [created]",
        "- ID: new-3\n  - ID: new-4 [created]\n    Label: Lion",
    ),
    ("KM_1003", "- Lion [deleted]", None),
    ("KM_1003", "- NASA\n  Label: x", "- ID: new-1 [created] # NASA\n  Label: x"),
    ("KM_1003", "- Label: Lion", "- ID: new-1 [created]\n  Label: Lion"),
    ("KM_1003", "- QQQ ID: 1", None),
    ("KM_1003", "- NODE ID: 1", None),
    ("KM_1003", "- CONCEPTUAL SPACE: Zoo", None),
    ("KM_1006", "- ID: 1 [updated] [new]", None),
    ("KM_1003", "- SECTION ID: 1", None),
    ("KM_1003", "- template id: 1", "- TEMPLATE ID: 1"),
    ("KM_1003", "-Lion", "- ID: new-1 [created]\n  Label: Lion"),
    ("KM_1003", "- Conceptual Space", "- CONCEPTUAL SPACE"),
    ("KM_1003", "- TEMPLAT ID: 1", "- TEMPLATE ID: 1"),
    ("KM_1003", "- ID: 1 text", "- ID: 1\n  Label: text"),
    ("KM_1003", "- ID: 1 [created] text", "- ID: 1 [created]\n  Label: text"),
    ("KM_1003", "- ID: 1 text [updated]", "- ID: 1 [updated]\n  Label: text"),
    ("KM_1003", "- ID: 1 text\n  Label: x", "- ID: 1 # text\n  Label: x"),
    ("KM_1003", "- ID: 1 Content: x", "- ID: 1\n  Content: x"),
    ("KM_1003", "- ARTICLE\n  ID: 1 text", "- ARTICLE\n  ID: 1\n  Label: text"),
    ("KM_1003", "- CONCEPTUAL SPACE Zoo", "- CONCEPTUAL SPACE\n  Label: Zoo"),
    ("KM_1003", "- ID: 12 [updated", "- ID: 12 [updated]"),
    ("KM_1003", "- ID: 12[updated]", "- ID: 12 [updated]"),
    ("KM_1003", "- ID: a#b [deleted]", None),
    ("KM_1003", '- ID: "a b"c [created]', None),
    ("KM_1003", "- ID: foo [created]bar", None),
    ("KM_1003", "- ID: foo[created]bar", None),
    ("KM_1003", "- ID: 1 [created] [updated", None),
    ("KM_1003", "- ID: 1 [created] text [updated]", None),
    (
        "KM_1003",
        "- ID: 1 text\n  Content: y\n  Label: x",
        "- ID: 1 # text\n  Content: y\n  Label: x",
    ),
    ("KM_1003", "--", "- ID: new-1 [created]\n  Label: -"),
    ("KM_1003", "- PROJECT SPACE", None),
    ("KM_1003", "- CONCEPTUEL SPACE", "- CONCEPTUAL SPACE"),
    ("KM_1003", "- CONCEPTUAL [created]\n  Label: x", "- CONCEPTUAL SPACE [created]\n  Label: x"),
    ("KM_1003", "-ID: 1", "- ID: 1"),
    ("KM_1003", "- ID new-1 [created]", "- ID: new-1 [created]"),
    ("KM_1003", "- TEMPLATE ID 1", "- TEMPLATE ID: 1"),
    ("KM_1004", "- ID:", "- ID: new-1 [created]"),
    ("KM_1004", "- ID: [created]", "- ID: new-1 [created]"),
    ("KM_1004", "- ID: [deleted]", None),
    ("KM_1004", "- ID: [Deleted]", None),
    ("KM_1004", "- ID: [new]", None),
    ("KM_1004", "- ARTICLE\n  Label: x", "- ARTICLE ID: new-1 [created]\n  Label: x"),
    ("KM_1004", "- ARTICLE [created]", "- ARTICLE ID: new-1 [created]"),
    ("KM_1004", "- ID: [7]", "- ID: 7"),
    ("KM_1004", f"- ID: {'x' * 201}", None),
    ("KM_1005", "- ID: 1\n  Content: `\n  x", "- ID: 1\n  Content: `\n  x\n  `"),
    ("KM_1005", "- ID: 1\n  Content: `\nx\n- ID: 2\n", "- ID: 1\n  Content: `\nx\n  `\n- ID: 2\n"),
    (
        "KM_1005",
        "- ID: 1\n  Content: `\n    a: b\n  Label: x",
        "- ID: 1\n  Content: `\n    a: b\n  `\n  Label: x",
    ),
    ("KM_1006", "- ID: 1 [new]", "- ID: 1 [created]"),
    ("KM_1006", "- ID: 1 [7]", None),
    *(
        ("KM_1006", f"- ID: 1 [{one}]", None)
        for one in ("not-deleted", "selected", "deprecated", "read", "undated")
    ),
    ("KM_1006", "- ID: 1 [Created]", "- ID: 1 [created]"),
    ("KM_1006", "- ID: 1 [created] [updated]", None),
    ("KM_1006", "- ID: 1 [created] [created]", "- ID: 1 [created]"),
    ("KM_1006", "- ARTICLE [created]\n  ID: 1 [deleted]", None),
    ("KM_1006", "- ARTICLE [created]\n  ID: 1 [created]", "- ARTICLE [created]\n  ID: 1 "),
    ("KM_1007", "Label: x", "- ID: new-1 [created]\n  Label: x"),
    ("KM_1007", "- ID: 1\nLabel: x", "- ID: 1\n  Label: x"),
    ("KM_1007", "- ID: 1\n  Label: x\nLabel: y", None),
    ("KM_1007", "Sure: here it is\n- ID: 1", "# Sure: here it is\n- ID: 1"),
    ("KM_1007", "ID: 1", "- ID: 1"),
    ("KM_1008", "- ID: 1\n  Label: a\n  Label: b", None),
    (
        "KM_1008",
        "- ID: 1\n  Content: a\n  Content: `\n  a\n  `\n- ID: 2",
        "- ID: 1\n  Content: a\n- ID: 2",
    ),
    ("KM_1008", "- ID: 1\n  ID: 2", None),
    ("KM_1009", "- ID: 1\n  label: a", "- ID: 1\n  Label: a"),
    ("KM_1009", "- ID: 1\n  a text", "- ID: 1\n  Content: a text"),
    (
        "KM_1009",
        "- ID: 1\n  Label: a\n  b\n   c\n",
        "- ID: 1\n  Label: `\n    a\n    b\n    c\n  `\n",
    ),
    (
        "KM_1009",
        "- ID: 1\n  b\n\n  # c\n  Label: l\n  Content: a",
        "- ID: 1\n  # b\n\n  # c\n  Label: l\n  Content: a",
    ),
    ("KM_1009", "- ID: 1\n  Use template: t\n  b", None),
    ("KM_1009", "- ID: 1\n  Value: 5\n  b", None),
    ("KM_1009", "- ID: 1\n  Content: a\n\n  b", "- ID: 1\n  Content: a\n\n  # b"),
    ("KM_1009", "Here it is\n- ID: 1", "# Here it is\n- ID: 1"),
    ("KM_1009", "- ID: 1\nI hope\nthis helps", "- ID: 1\n# I hope\n# this helps"),
    ("KM_1009", "- ID: 1\n  Label:a", "- ID: 1\n  Label: a"),
    ("KM_1009", "- ID: 1\n  Use template 2", "- ID: 1\n  Use template: 2"),
    ("KM_1009", "- ID: 1\n```kml", "- ID: 1\n"),
    ("KM_1010", "- ID: 1\n  - CONCEPTUAL SPACE", "- ID: 1\n- CONCEPTUAL SPACE"),
    ("KM_4002", "\n".join(f"{' ' * level}- ID: {level}" for level in range(300)), None),
    ("KM_4002", "- ID: 1\n" + "\n".join(f"  f{one}: x" for one in range(65)), None),
]


@pytest.mark.parametrize(
    ("code", "text", "mended"), FAULTS, ids=[repr(one[1][:40]) for one in FAULTS]
)
def test_a_fault_has_a_code_a_place_a_hint_and_an_edit_where_one_mends_it(code, text, mended):
    error = refused(text)
    assert error.code.code == code
    assert error.span is not None
    assert error.hint
    assert (error.fix and error.fix.apply(text)) == mended
    if mended is not None:
        parse(mended)


def test_every_fault_is_told_at_once():
    text = "- ID: 1 [new]\n  label: x\n- Node\n  a text\n- ID: 2\n  Label: fine\n"
    told = [one.code for one in check(text)]
    assert told == ["KM_1006", "KM_1009", "KM_1003", "KM_1009"], told


def test_a_message_shows_at_most_eighty_characters_of_the_text():
    error = refused("- ID: 1\n  " + "word " * 200)
    assert len(error.message) < 140


def test_comments_of_whole_lines_stay_where_they_are_when_a_text_is_formatted():
    text = (
        "# of animals\n- ID: 1   # a lion\n    # its name\n    Label:   Lion\n"
        "    # below\n    - ID: 2\n# the end\n"
    )
    formatted = format_text(text)
    assert formatted == (
        "---\n# of animals\n- ID: 1\n  # its name\n  Label: Lion\n  # below\n  - ID: 2\n# the end\n"
    )
    assert format_text(formatted) == formatted


def test_fields_are_printed_in_their_order_and_content_last():
    node = Node(Id("1"), fields={"Content": "c", "Extra": "e", "Value": "v", "Label": "l"})
    text = print_text(Document((Space(nodes=(node,)),)))
    assert text == "---\n- ID: 1\n  Label: l\n  Value: v\n  Extra: e\n  Content: c\n"


@pytest.mark.parametrize(
    "node",
    [
        Node(Id("")),
        Node(Id("x", is_temporary=True)),
        Node(Id("1"), kind="FOO"),
        Node(Id("1"), states=("created", "updated")),
        Node(Id("1"), fields={"label": "x"}),
        Node(Id("1"), fields={"1": "x"}),
    ],
)
def test_a_value_that_no_text_says_is_not_printed(node):
    error = refused(Document((Space(nodes=(node,)),)), print_text)
    assert error.code.code == "INVALID_ARGUMENT"


def test_reading_takes_work_in_proportion_to_the_text():
    check("- ID: 1\n  Label: a #b\n" * 50_000)  # two minutes, if each is held against each
    hostile = ["`", "- ID: 1\n  Label: x #", '"\\', "- [", " " * 50 + "a:", "  Content: ``````"]
    for piece in hostile:
        for count in (10, 5_000):
            check(piece * count)
            check(f"{piece}\n" * count)


def test_only_what_is_public_is_seen_in_the_module():
    assert dir(markup) == sorted(markup.__all__)
