"""A document examined: every fault at once; and a text made canonical with its comments.

The rule: one fault hides no other. A line with a fault is left out, and the rest is read.
"""

from __future__ import annotations

from recollect.errors import RecollectError
from recollect.faces.markup.model import Document
from recollect.faces.markup.parser import Reader
from recollect.faces.markup.text import Lines

MOST_FAULTS = 1_000
"""Faults that are told of one text."""


def document_faults(text: str) -> tuple[Document, list[RecollectError]]:
    """Return what can be read of a document, and all its faults in the order of their places."""
    faults: list[RecollectError] = []
    document = Document()
    try:
        document = Reader(Lines(text, faults.append)).read()
    except RecollectError as limit:  # beyond a limit nothing is read on
        faults.append(limit)
    return document, ordered(faults)


def ordered(faults: list[RecollectError]) -> list[RecollectError]:
    """Return faults in the order of their places, the first ones if they are very many."""
    places = sorted(faults, key=lambda one: one.span.start if one.span else 0)
    return places[:MOST_FAULTS]
