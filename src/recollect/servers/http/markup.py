"""Knowing Markup over HTTP: `/v1/markup`.

The rule: a server runs no function unless it was started with some; prompts are run by nobody.
"""

from __future__ import annotations

from recollect.faces.markup import Markup
from recollect.faces.markup.calls import MarkupCalls
from recollect.faces.operations import Caller
from recollect.kernel import Nexus
from recollect.servers.http.calls import call_face
from recollect.servers.http.face import Face, Shared

MARKUP = "/v1/markup"


def markup_face(shared: Shared) -> Face:
    """Return the face: a route for each call."""

    def make(nexus: Nexus, caller: Caller) -> object:
        return MarkupCalls(Markup(nexus, functions=shared.service.functions, actor=caller.name))

    return call_face(shared, MARKUP, MarkupCalls, make)
