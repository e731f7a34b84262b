"""Random small graphs, as the UPSERT that makes them.

Blocks stand in the order in which they are born, so the reference and the engine agree on
which element is older.
"""

from __future__ import annotations

from hypothesis import strategies as st
from tests.reference.vocabulary import NAMES, PREDICATES, TYPES, objects, text

from recollect.kernel.lang import ast, literal
from recollect.model import Value

keys = st.tuples(st.sampled_from(TYPES), st.sampled_from(NAMES))


def object_literal(value: dict[str, Value]) -> ast.Literal | None:
    return literal(value) if value else None


@st.composite
def concept_blocks(draw: st.DrawFn) -> list[ast.ConceptBlock]:
    blocks = []
    for place, (type, name) in enumerate(draw(st.lists(keys, min_size=2, max_size=6, unique=True))):
        id = text(f"id-{place}") if draw(st.integers(0, 4)) == 0 else None
        attributes = draw(objects)
        if draw(st.integers(0, 9)) == 0:
            attributes = {**attributes, "name": "shadowed"}
        blocks.append(
            ast.ConceptBlock(
                ast.Handle(f"c{place}"),
                ast.ConceptPattern(text(type), text(name), id),
                object_literal(attributes),
                (),
                object_literal(draw(objects)),
            )
        )
    return blocks


@st.composite
def graphs(draw: st.DrawFn) -> ast.Upsert:
    """Draw an UPSERT of up to six concepts, and links between them and between links."""
    concepts = draw(concept_blocks())
    ends = [f"c{place}" for place in range(len(concepts))]
    links: list[ast.LinkBlock] = []
    triples: set[tuple[str, str, str]] = set()
    for place in range(draw(st.integers(3, 14))):
        # Most ends are among the first few, which makes chains, hubs and cycles likely.
        subject = draw(st.sampled_from(ends[:4] + ends))
        object = draw(st.sampled_from(ends[:4] + ends))
        triple = (subject, draw(st.sampled_from(PREDICATES)), object)
        if triple in triples:
            continue
        triples.add(triple)
        ends.append(f"l{place}")
        links.append(
            ast.LinkBlock(
                ast.Handle(f"l{place}"),
                ast.LinkTarget(ast.Handle(subject), text(triple[1]), ast.Handle(object)),
                object_literal(draw(objects)),
                object_literal(draw(objects)),
            )
        )
    return ast.Upsert((*concepts, *links), object_literal(draw(objects)))
