"""Knowing Markup: tree documents that people and models edit, on the one graph.

Knowing Markup is a language of the Knowing application, open for use with attribution: see NOTICE.
"""

from recollect.faces.markup.model import Document, Id, Node, Space
from recollect.faces.markup.parser import parse

__all__ = ["Document", "Id", "Node", "Space", "parse"]
