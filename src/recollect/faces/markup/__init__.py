"""Knowing Markup: tree documents that people and models edit, on the one graph.

Knowing Markup is a language of the Knowing application, open for use with attribution: see NOTICE.
"""

from recollect.faces.markup.answers import Applied, NodeChange, Placement, Rendered, SpaceEntry
from recollect.faces.markup.calls import Markup
from recollect.faces.markup.checking import check, format_text, syntax_card
from recollect.faces.markup.exchange import Exchange
from recollect.faces.markup.functions import Call, Functions
from recollect.faces.markup.messages import (
    Action,
    Request,
    Response,
    parse_request,
    parse_response,
    print_text,
)
from recollect.faces.markup.model import Document, Id, Node, Space
from recollect.faces.markup.outlines import Converted, read_outline, write_outline
from recollect.faces.markup.parser import parse
from recollect.faces.markup.repairing import Repaired, repair, repair_response
from recollect.faces.markup.runner import Run, StepResult
from recollect.llm import Completion

__all__ = [
    "Action",
    "Applied",
    "Call",
    "Completion",
    "Converted",
    "Document",
    "Exchange",
    "Functions",
    "Id",
    "Markup",
    "Node",
    "NodeChange",
    "Placement",
    "Rendered",
    "Repaired",
    "Request",
    "Response",
    "Run",
    "Space",
    "SpaceEntry",
    "StepResult",
    "check",
    "format_text",
    "parse",
    "parse_request",
    "parse_response",
    "print_text",
    "read_outline",
    "repair",
    "repair_response",
    "syntax_card",
    "write_outline",
]


def __dir__() -> list[str]:
    return sorted(__all__)
