"""The knowledge base over HTTP: `/v1/knowledge`.

The rule: each call is made on the group of its request; a text is structured by the model that
the server's settings name, and refused where they name none.
"""

from __future__ import annotations

from recollect.faces.knowledge import KnowledgeBase
from recollect.faces.knowledge.calls import KnowledgeCalls
from recollect.faces.operations import Caller
from recollect.kernel import Nexus
from recollect.servers.http.calls import call_face
from recollect.servers.http.face import Face, Shared
from recollect.servers.learning import make_structuring
from recollect.servers.settings import Settings

KNOWLEDGE = "/v1/knowledge"


def knowledge_face(shared: Shared) -> Face:
    """Return the face: a route for each call."""

    def make(nexus: Nexus, _: Caller) -> object:
        return KnowledgeCalls(
            KnowledgeBase(nexus=nexus), lambda: make_structuring(Settings().learning())
        )

    return call_face(shared, KNOWLEDGE, KnowledgeCalls, make)
