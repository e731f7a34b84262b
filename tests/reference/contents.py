"""What an element says, in comparable form, and how many times it has come to say another thing.

Versions count transactions, so they are told by what an element said when the last one ended.
"""

from __future__ import annotations

from tests.reference.graph import Element, Graph

from recollect.model import Value


def content(element: Element) -> str:
    return repr((exact(element.attributes), exact(element.metadata), element.valid))


def exact(value: Value) -> object:
    """Return what tells 1, 1.0 and true apart, whatever the order of the keys."""
    match value:
        case dict():
            return sorted((key, exact(one)) for key, one in value.items())
        case list():
            return [exact(one) for one in value]
        case _:
            return (type(value).__name__, value)


def version(graph: Graph, element: Element) -> int:
    """Return the version an element has by now."""
    if element.id not in graph.committed:
        return element.first_version
    number, said = graph.committed[element.id]
    return number + (said != content(element))


def commit(graph: Graph) -> None:
    """End a transaction: what the elements say now, they say as of this version."""
    graph.committed = {one.id: (version(graph, one), content(one)) for one in graph.elements()}
