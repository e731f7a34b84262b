"""Any memory of nodes, written as text and loaded into a fresh one, is the same text again."""

from __future__ import annotations

from hypothesis import given, strategies as st

import recollect
from recollect.faces.markup import Document, Id, Markup, Node, Space
from recollect.faces.markup.model import SPACE_KINDS
from recollect.faces.markup.printer import document_text

TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            "`",
            "``",
            '"',
            '"a"',
            "# no",
            "a # b",
            " a ",
            "a\n\nb",
            "\n",
            "a\n`\nb",
            "- ID: 1",
            "---",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
)
IDS = st.one_of(
    st.sampled_from(["new-1", "a b", "[x]", "12", "main", "é"]),
    st.text("abc12-", min_size=1, max_size=4),
)
KINDS = st.sampled_from([None, None, None, "NOTE", "FUNCTION", "TEMPLATE"])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Return spaces with trees of nodes, each id once, and some references further on."""
    ids = draw(st.lists(IDS, min_size=4, max_size=14, unique=True))
    sections: list[Space] = []
    known: list[tuple[str, str | None]] = []
    for kind in draw(st.lists(st.sampled_from(SPACE_KINDS), min_size=1, max_size=3)):
        if not ids:
            break
        space, count = ids.pop(), draw(st.integers(0, 5))
        here, ids = ids[:count], ids[count:]
        nodes: list[Node] = []
        for id in here:
            fields = {"Label": draw(TEXTS), "Content": draw(TEXTS)}
            node = Node(Id(id), draw(KINDS), fields={k: v for k, v in fields.items() if v})
            if kind != "ATTRIBUTE SPACE":  # a value that becomes a concept is another thing
                known.append((id, node.kind))
            if nodes and draw(st.booleans()):
                above = nodes.pop()
                node = Node(above.id, above.kind, fields=above.fields, nodes=(*above.nodes, node))
            nodes.append(node)
        if kind == "CONCEPTUAL SPACE" and known and draw(st.booleans()):
            id, word = draw(st.sampled_from(known))
            if id not in here:
                nodes.append(Node(Id(id), word))
        sections.append(
            Space(kind, Id(space), fields={"Label": draw(TEXTS) or "S"}, nodes=tuple(nodes))
        )
    return Document(tuple(sections))


@given(documents())
def test_any_memory_comes_back_from_its_text(document: Document) -> None:
    with recollect.open(":memory:") as first, recollect.open(":memory:") as second:
        one, other = Markup(first), Markup(second)
        one.load(document_text(document))
        text = one.render().text
        other.load(text)
        assert other.render().text == text
        assert other.load(text).transaction is None
        assert one.load(text).transaction is None
        for id in one.render().shown:
            assert set(one.places(id)) == set(other.places(id))
