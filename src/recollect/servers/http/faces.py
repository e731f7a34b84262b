"""The faces that are nothing but calls: which class, where, and on what.

The rule: each call is made on the group of its request. What asks a model asks the one that the
server's settings name, and is refused where they name none; a server runs no function unless it
was started with some, and prompts are run by nobody.
"""

from __future__ import annotations

from typing import Final

from recollect.faces.kip import read_as_of
from recollect.faces.knowledge import KnowledgeBase
from recollect.faces.knowledge.calls import KnowledgeCalls
from recollect.faces.markup import Markup
from recollect.faces.markup.calls import MarkupCalls
from recollect.faces.memory import Memory
from recollect.faces.memory.calls import MemoryCalls
from recollect.faces.operations import Caller
from recollect.kernel import Nexus
from recollect.servers.http.calls import call_face
from recollect.servers.http.face import Face, SharedParts
from recollect.servers.learning import make_structuring
from recollect.servers.settings import Settings

MEMORY = "/v1/memory"
KNOWLEDGE: Final = "/v1/knowledge"
MARKUP: Final = "/v1/markup"


def knowledge_face(shared: SharedParts) -> Face:
    """Return the knowledge base."""

    def make(nexus: Nexus, _: Caller) -> object:
        return KnowledgeCalls(
            KnowledgeBase(nexus=nexus), lambda: make_structuring(Settings().learning()), read_as_of
        )

    return call_face(shared, KNOWLEDGE, KnowledgeCalls, make, is_strict=True)


def markup_face(shared: SharedParts) -> Face:
    """Return Knowing Markup."""

    def make(nexus: Nexus, caller: Caller) -> object:
        return MarkupCalls(Markup(nexus, functions=shared.service.functions, actor=caller.name))

    return call_face(shared, MARKUP, MarkupCalls, make)


def memory_face(shared: SharedParts) -> Face:
    """Return the face: a route for each call."""

    def make(nexus: Nexus, caller: Caller) -> object:
        operations = shared.service.operations.on_behalf_of(caller)
        return MemoryCalls(Memory(nexus, actor=caller.name, operations=operations))

    return call_face(shared, MEMORY, MemoryCalls, make)
