"""The knowledge base on a server, as the face in this process has it.

The rule: called with a text it provides, so a client is a `knowledge_provider` of agents. What is
absent is None or False here, as it is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from copy import copy
from typing import Any, Self

from recollect.client.calls import AsyncFaceClient, FaceClient, awaited, sent
from recollect.client.kip import as_of_members
from recollect.errors import RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece, LoadReport, Skipped
from recollect.faces.knowledge.calls import KnowledgeCalls
from recollect.faces.knowledge.model import checked_as, checked_object
from recollect.model import AsOf
from recollect.node import replace


class Knowledge(FaceClient):
    """The knowledge base of one group on a server."""

    prefix = "/v1/knowledge"
    face = KnowledgeCalls

    def at(self, as_of: AsOf | Mapping[str, Any] | None) -> Self:
        """Return the base as it stood at a moment, for questions; closing one closes both."""
        then = copy(self)
        then.remote = replace(self.remote, as_of=as_of_members(as_of))
        return then

    def __call__(self, text: str) -> dict[str, str]:
        """Return the sections of a prompt for a text."""
        return self.provide(text)

    retrieve = sent(KnowledgeBase.retrieve, "retrieve", lambda kind, found: kind.from_dict(found))

    def provide(
        self, text: str, *, entity_id: str | None = None, top_k: int | None = None
    ) -> dict[str, str]:
        """Return the sections of a prompt for a text, by info type."""
        given = {"query": text, "entity_id": entity_id, "top_k": top_k}
        return dict(self.remote.call("provide", given))

    def add_piece(self, piece: KnowledgePiece) -> str:
        """Keep a new piece and return its id; CONFLICT if the id is there."""
        return str(
            self.remote.call("add_piece", checked_as(KnowledgePiece, piece).to_dict())["piece_id"]
        )

    def get_piece(self, piece_id: str) -> KnowledgePiece | None:
        """Return a piece."""
        found = self._if_there("piece_named", {"id": piece_id})
        return None if found is None else KnowledgePiece.from_dict(found)

    def update_piece(self, piece: KnowledgePiece) -> bool:
        """Keep a piece in place of the one with its id; False where there is none."""
        return (
            self._if_there("update_named", checked_as(KnowledgePiece, piece).to_dict()) is not None
        )

    def remove_piece(self, piece_id: str) -> bool:
        """Remove a piece; False where there is none."""
        return self._if_there("remove_named", {"id": piece_id}) is not None

    def load(
        self, data: Mapping[str, Any], *, dry_run: bool = False, strict: bool = False
    ) -> LoadReport:
        """Load profiles, pieces, nodes and edges, and tell how many of each."""
        given = {"data": checked_object("data", data), "dry_run": dry_run, "strict": strict}
        told = dict(self.remote.call("load", given))
        skipped = [Skipped(**one) for one in told.pop("skipped")]
        return LoadReport(**told, skipped=skipped)

    def _if_there(self, function: str, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        try:
            return self.remote.call(function, given)
        except RecollectError as error:
            if error.code is RESOURCE_NOT_FOUND:
                return None
            raise


class AsyncKnowledge(AsyncFaceClient[Knowledge]):
    """The same, to be awaited."""

    kind = Knowledge

    def at(self, as_of: AsOf | Mapping[str, Any] | None) -> Self:
        """Return the base as it stood at a moment, for questions; closing one closes both."""
        then = copy(self)
        then.sync = self.sync.at(as_of)
        return then

    async def __call__(self, text: str) -> dict[str, str]:
        """Return the sections of a prompt for a text."""
        return await asyncio.to_thread(self.sync.provide, text)

    retrieve = awaited(Knowledge.retrieve)
    provide = awaited(Knowledge.provide)
    add_piece = awaited(Knowledge.add_piece)
    get_piece = awaited(Knowledge.get_piece)
    update_piece = awaited(Knowledge.update_piece)
    remove_piece = awaited(Knowledge.remove_piece)
    load = awaited(Knowledge.load)
