"""Outlines of other programs, read and written; what a format cannot carry is told."""

from __future__ import annotations

import pytest
from hypothesis import given

from faces.markup import trees
from recollect import RecollectError
from recollect.faces.markup import (
    Document,
    Id,
    Node,
    Space,
    parse,
    print_text,
    read_outline,
    write_outline,
)

TREE = parse(
    "- ID: 1\n  Label: Animals\n  Content: `\n    - not an item\n    # nor a heading\n  `\n"
    "  - ID: 2\n    Label: Lion\n    - ID: 3\n      Label: Mane\n  - ID: 4\n    Label: Owl\n"
)


def labels(document) -> list[tuple[str | None, str | None]]:
    return [(one.label, one.content) for one in document.walk()]


@pytest.mark.parametrize("format", ["markdown", "opml", "org", "json"])
def test_labels_contents_and_levels_come_back(format):
    written = write_outline(TREE, format).value
    read = read_outline(written, format).value
    assert labels(read) == labels(TREE)
    roots = read.sections[0].nodes
    assert [[below.label for below in one.nodes] for one in roots] == [["Lion", "Owl"]]


@given(trees.DOCUMENTS)
def test_json_carries_a_document_whole(document):
    written = write_outline(document, "json")
    assert read_outline(written.value, "json").value == document
    assert written.notices == ()


@pytest.mark.parametrize("format", ["markdown", "opml", "org", "tana"])
@given(document=trees.DOCUMENTS)
def test_any_document_is_written_and_what_is_written_is_read(document, format):
    written = write_outline(document, format).value
    assert isinstance(written, str)
    if format != "tana":
        print_text(read_outline(written, format).value)


def test_headings_and_items_of_markdown_are_nodes_and_what_stands_below_is_their_content():
    text = "# Animals\n\nAll of them.\n\n## Cats\n- Lion\n  roars\n  - Mane\n- Cat\n\nEnd.\n"
    document = read_outline(text, "markdown").value
    assert labels(document) == [
        ("Animals", "All of them."),
        ("Cats", "End."),
        ("Lion", "roars"),
        ("Mane", None),
        ("Cat", None),
    ]
    assert [one.id.text for one in document.walk()] == ["new-1", "new-2", "new-3", "new-4", "new-5"]
    assert all(one.id.is_temporary for one in document.walk())


def test_opml_without_a_title_says_no_space():
    several = Document(
        tuple(
            Space(
                "ONTOLOGY SPACE",
                fields={"Label": one},
                nodes=(Node(Id("1"), fields={"Label": "x"}),),
            )
            for one in "ab"
        )
    )
    (section,) = read_outline(write_outline(several, "opml").value, "opml").value.sections
    assert (section.kind, [one.label for one in section.nodes]) == (None, ["a", "b"])


def test_the_title_of_opml_is_the_label_of_the_space():
    text = (
        '<opml version="2.0"><head><title>Zoo</title></head><body>'
        '<outline text="Lion" _note="Roars&#10;loud" Value="3" color="tan"/></body></opml>'
    )
    (space,) = read_outline(text, "opml").value.sections
    assert (space.kind, space.label) == ("CONCEPTUAL SPACE", "Zoo")
    assert space.nodes[0].fields == {
        "Label": "Lion",
        "Content": "Roars\nloud",
        "Value": "3",
        "color": "tan",
    }


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE opml [<!ENTITY a "aaaa">]><opml><body><outline text="&a;"/></body></opml>',
        '<!DOCTYPE opml SYSTEM "file:///etc/passwd"><opml/>',
        "<opml><body>",
        "<html/>",
        '<opml version="1.0"><body/></opml>',
        "<opml><body/></opml>",
    ],
)
def test_document_types_entities_and_what_is_no_opml_are_refused(text):
    with pytest.raises(RecollectError) as caught:
        read_outline(text, "opml")
    assert caught.value.code.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "text", ["[", "{}", '{"sections": [1]}', '{"sections": [{"nodes": [{"id": 3}]}]}']
)
def test_what_is_no_outline_in_json_is_refused(text):
    with pytest.raises(RecollectError) as caught:
        read_outline(text, "json")
    assert caught.value.code.code == "INVALID_ARGUMENT"


def test_an_unknown_format_is_refused_with_the_known_ones():
    for call in (lambda: read_outline("", "tana"), lambda: write_outline(TREE, "doc")):
        with pytest.raises(RecollectError) as caught:
            call()
        assert caught.value.code.code == "INVALID_ARGUMENT"
        assert "markdown" in caught.value.known


def test_notices_name_what_a_format_does_not_carry():
    document = parse("- ONTOLOGY SPACE\n  - ARTICLE ID: 1 [created]\n    Value: 3\n")
    told = " ".join(one.message for one in write_outline(document, "markdown").notices)
    for what in ("ids", "states", "Value", "ARTICLE", "ONTOLOGY SPACE"):
        assert what in told


@pytest.mark.parametrize("format", ["markdown", "opml", "org", "tana"])
def test_a_node_that_is_shown_a_second_time_has_its_label_and_a_notice(format):
    document = parse(
        "- CONCEPTUAL SPACE\n  ID: zoo\n  Label: Zoo\n  - ID: 1\n    Label: Lion\n"
        "- ONTOLOGY SPACE\n  ID: kinds\n  Label: Kinds\n  - ID: 2\n    Label: Cat\n    - ID: 1\n"
        "    - SPACE ID: zoo\n"
    )
    written = write_outline(document, format)
    assert (written.value.count("Lion"), written.value.count("Zoo")) == (2, 2)
    assert "that a node stands at several places (2 times)" in str(written.notices)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("1. Lion\n   roars\n     loud\n", "roars\n  loud"),
        ("10) Lion\n    roars\n", "roars"),
        ("-   Lion\n    roars\n", "roars"),
        ("- Lion\n\troars\n", "  roars"),
        ("- Cats\n  1. Lion\n     roars\n", "roars"),
        ("1. Lion\nroars\n", "roars"),
    ],
)
def test_continued_lines_of_an_item_lose_the_columns_before_its_text(text, content):
    *_, lion = read_outline(text, "markdown").value.walk()
    assert (lion.label, lion.content) == ("Lion", content)


def test_properties_of_org_stand_after_the_planning_of_a_headline():
    text = "* Feed the lions\nDEADLINE: <2026-12-01 Tue>\n:PROPERTIES:\n:Effort: 1h\n:END:\nMeat.\n"
    (node,) = read_outline(text, "org").value.walk()
    assert node.fields == {
        "Label": "Feed the lions",
        "Effort": "1h",
        "Content": "DEADLINE: <2026-12-01 Tue>\nMeat.",
    }
    assert write_outline(read_outline(text, "org").value, "org").value == text
