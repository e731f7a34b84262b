"""Knowing Markup: tree documents that people and models edit, on the one graph.

Knowing Markup is a language of the Knowing application, open for use with attribution: see NOTICE.
"""

from recollect.faces.markup.answers import Applied, NodeChange, Placement, Rendered, SpaceEntry
from recollect.faces.markup.markup import Markup
from recollect.faces.markup.model import Document, Id, Node, Space
from recollect.faces.markup.parser import parse

__all__ = [
    "Applied",
    "Document",
    "Id",
    "Markup",
    "Node",
    "NodeChange",
    "Placement",
    "Rendered",
    "Space",
    "SpaceEntry",
    "parse",
]
