"""The answer to a KIP text, shown: drawn for people, or the response as JSON for programs."""

from __future__ import annotations

import re

from recollect.errors import RecollectError
from recollect.faces.kip.response import Format, success
from recollect.kernel import Nexus
from recollect.model import Answer, AsOf
from recollect.node import dataclass, replace
from recollect.servers.cli.naming import names_of
from recollect.servers.cli.output import Output
from recollect.servers.cli.render import drawn

_PAGES = re.compile(r"\b(LIMIT|CURSOR)\b")


@dataclass(frozen=True, slots=True)
class AskedText:
    """What was asked: the text, the time it was asked of, and how rows are laid out as JSON."""

    text: str = ""
    as_of: AsOf | None = None
    layout: Format = "rows"


def show_answer(out: Output, nexus: Nexus, answer: Answer, asked: AskedText) -> None:
    """Show an answer, with warnings of what to know about it.

    A person sees the cursor of the next page where the text asks for pages.
    """
    if out.as_json:
        own = tuple(out.own_notice(one) for one in answer.notices)
        out.json(success(replace(answer, notices=own), asked.layout))
        return
    out.warn_of(answer.notices)
    names = names_of(nexus, answer.results, asked.as_of)
    out.show(drawn(answer, names, has_pages=_PAGES.search(asked.text) is not None))


def without_place(error: RecollectError) -> RecollectError:
    """Return an error with no place in the text: for a text that no person wrote."""
    return replace(error, source="", span=None, fix=None, first=None)
