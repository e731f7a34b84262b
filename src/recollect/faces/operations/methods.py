"""The operations as methods, whichever way a call travels: in this process or to a server.

The rule: a method takes the fields of its input as keyword arguments and passes them on as they
are; `call` is where the ways part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar, Unpack

from recollect.faces.operations.inputs import (
    AddEntityNode,
    AddEpisodes,
    AddFact,
    AddFacts,
    AddMessages,
    DeleteGroup,
    DeleteInput,
    Empty,
    GetEntityEdge,
    GetEpisodes,
    GetMemory,
    ListParked,
    ReceiptInput,
    RetryParked,
    SearchFacts,
    SearchNodes,
)

AnswerT_co = TypeVar("AnswerT_co", covariant=True)
Id = str | None


class Methods(ABC, Generic[AnswerT_co]):
    """One method per operation; each returns what `call` returns: an envelope, or one to await."""

    @abstractmethod
    def call(
        self, name: str, input: object, *, request_id: object = None, idempotency_key: object = None
    ) -> AnswerT_co:
        """Run the operation of that name."""

    def _pass(self, name: str, input: object, request_id: Id, idempotency_key: Id) -> AnswerT_co:
        return self.call(name, input, request_id=request_id, idempotency_key=idempotency_key)

    def healthcheck(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[Empty]
    ) -> AnswerT_co:
        """Answer that the service is there."""
        return self._pass("Healthcheck", given, request_id, idempotency_key)

    def add_messages(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[AddMessages]
    ) -> AnswerT_co:
        """Take in up to 100 messages, each as an episode; ACCEPTED with a receipt."""
        return self._pass("AddMessages", given, request_id, idempotency_key)

    def add_episodes(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[AddEpisodes]
    ) -> AnswerT_co:
        """Take in up to 100 episodes, all or none; ACCEPTED with a receipt."""
        return self._pass("AddEpisodes", given, request_id, idempotency_key)

    def get_receipt(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[ReceiptInput]
    ) -> AnswerT_co:
        """Return where the items of a receipt stand: ACCEPTED while one runs, PARKED, or OK."""
        return self._pass("GetReceipt", given, request_id, idempotency_key)

    def list_parked(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[ListParked]
    ) -> AnswerT_co:
        """Return the items that were given up after all retries."""
        return self._pass("ListParked", given, request_id, idempotency_key)

    def retry_parked(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[RetryParked]
    ) -> AnswerT_co:
        """Let parked items be tried again."""
        return self._pass("RetryParked", given, request_id, idempotency_key)

    def add_entity_node(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[AddEntityNode]
    ) -> AnswerT_co:
        """Create a node, or merge a summary and attributes into it."""
        return self._pass("AddEntityNode", given, request_id, idempotency_key)

    def add_fact(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[AddFact]
    ) -> AnswerT_co:
        """Add a fact between two nodes; it ends those it contradicts."""
        return self._pass("AddFact", given, request_id, idempotency_key)

    def add_facts(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[AddFacts]
    ) -> AnswerT_co:
        """Add up to 100 facts in one transaction."""
        return self._pass("AddFacts", given, request_id, idempotency_key)

    def search_facts(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[SearchFacts]
    ) -> AnswerT_co:
        """Return the facts a text is about, best first: those valid and known now, or as asked."""
        return self._pass("SearchFacts", given, request_id, idempotency_key)

    def search_nodes(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[SearchNodes]
    ) -> AnswerT_co:
        """Return the nodes a text is about, best first."""
        return self._pass("SearchNodes", given, request_id, idempotency_key)

    def get_entity_edge(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[GetEntityEdge]
    ) -> AnswerT_co:
        """Return one fact, even one that is expired."""
        return self._pass("GetEntityEdge", given, request_id, idempotency_key)

    def get_episodes(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[GetEpisodes]
    ) -> AnswerT_co:
        """Return the newest episodes, oldest first."""
        return self._pass("GetEpisodes", given, request_id, idempotency_key)

    def get_memory(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[GetMemory]
    ) -> AnswerT_co:
        """Return the facts a conversation is about, as `search_facts` does."""
        return self._pass("GetMemory", given, request_id, idempotency_key)

    def delete_entity_edge(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[DeleteInput]
    ) -> AnswerT_co:
        """Erase a fact for all times. Cost: the file is rewritten."""
        return self._pass("DeleteEntityEdge", given, request_id, idempotency_key)

    def delete_episode(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[DeleteInput]
    ) -> AnswerT_co:
        """Erase an episode, and nothing learnt from it. Cost: the file is rewritten."""
        return self._pass("DeleteEpisode", given, request_id, idempotency_key)

    def delete_group(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[DeleteGroup]
    ) -> AnswerT_co:
        """Erase a group with all it holds. Cost: the file is rewritten."""
        return self._pass("DeleteGroup", given, request_id, idempotency_key)

    def clear_all(
        self, *, request_id: Id = None, idempotency_key: Id = None, **given: Unpack[Empty]
    ) -> AnswerT_co:
        """Erase every group; only for administrators. Cost: the file is rewritten for each."""
        return self._pass("ClearAll", given, request_id, idempotency_key)
