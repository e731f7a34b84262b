"""What the language offers without a memory: a text examined, a text made canonical, its one page.

The rule: one fault hides no other. A line with a fault is left out, and the rest is read. Every
example of the page is one that the strict reader reads; a test sees to it.
"""

from __future__ import annotations

from importlib.resources import files

from recollect.errors import RecollectError
from recollect.faces.markup.messages import is_message, read_message, text_of
from recollect.faces.markup.model import Document
from recollect.faces.markup.parser import DocumentReader
from recollect.faces.markup.text import Lines
from recollect.kernel import Diagnostic

MOST_FAULTS = 1_000
"""Faults that are told of one text."""


def document_faults(text: str) -> tuple[Document, list[RecollectError]]:
    """Return what can be read of a document, and all its faults in the order of their places."""
    faults: list[RecollectError] = []
    document = Document()
    try:
        document = DocumentReader(Lines(text, faults.append)).read()
    except RecollectError as limit:  # beyond a limit nothing is read on
        faults.append(limit)
    return document, _ordered(faults)


def _ordered(faults: list[RecollectError]) -> list[RecollectError]:
    return sorted(faults, key=lambda one: one.span.start if one.span else 0)[:MOST_FAULTS]


def check(text: str) -> tuple[Diagnostic, ...]:
    r"""Return everything that is wrong with a document, a request or a response, by its place.

    A text that begins with `Context:` is a message: a response if it has a `Response:` or a
    `Workflow step:`, else a request. At most a thousand faults are told. Cost is linear.

    >>> [one.code for one in check("- ID: 1 [new]\n- Node")]
    ['KM_1006', 'KM_1003']
    """
    if not is_message(text):
        _, faults = document_faults(text)
    else:
        faults = []
        try:
            read_message(Lines(text, faults.append))
        except RecollectError as limit:  # beyond a limit nothing is read on
            faults.append(limit)
    return tuple(Diagnostic.of_error(one, text) for one in _ordered(faults))


def format_text(text: str) -> str:
    r"""Return the canonical text of what a text says, its whole-line comments kept in place.

    Comments stay before the header, the field or the entry that they stood before; comments at
    the end of a line are dropped. Raises the first fault of the text, strictly.

    >>> print(format_text("# of animals\n- ID: 1 # a lion\n    Label:   Lion"), end="")
    ---
    # of animals
    - ID: 1
      Label: Lion
    """
    lines = Lines(text)
    if is_message(text):
        message, comments = read_message(lines)
        return text_of(message, comments)
    reader = DocumentReader(lines)
    document = reader.read()
    return text_of(document, reader.comments)


def syntax_card() -> str:
    """Return one page about Knowing Markup for a system prompt: less than 8,000 characters.

    >>> len(syntax_card()) < 8_000
    True
    """
    return files("recollect.faces.markup").joinpath("syntax_card.md").read_text("utf-8")
