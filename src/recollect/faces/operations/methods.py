"""The operations as methods, whichever way a call travels: in this process or to a server.

The rule: a method takes the fields of its input as keyword arguments and passes them on as they
are; `call` is where the ways part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar, Unpack

from recollect.faces.operations import inputs

AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class Methods(ABC, Generic[AnswerT_co]):
    """One method per operation; each returns what `call` returns: an envelope, or one to await."""

    @abstractmethod
    def call(
        self, name: str, input: object, *, request_id: object = None, idempotency_key: object = None
    ) -> AnswerT_co:
        """Run the operation of that name."""

    def healthcheck(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.Empty],
    ) -> AnswerT_co:
        """Answer that the service is there."""
        return self.call(
            "Healthcheck", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def add_messages(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.AddMessages],
    ) -> AnswerT_co:
        """Take in up to 100 messages, each as an episode; ACCEPTED with a receipt."""
        return self.call(
            "AddMessages", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def add_episodes(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.AddEpisodes],
    ) -> AnswerT_co:
        """Take in up to 100 episodes, all or none; ACCEPTED with a receipt."""
        return self.call(
            "AddEpisodes", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def get_receipt(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.ReceiptInput],
    ) -> AnswerT_co:
        """Return where the items of a receipt stand: ACCEPTED while one runs, PARKED, or OK."""
        return self.call(
            "GetReceipt", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def list_parked(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.ListParked],
    ) -> AnswerT_co:
        """Return the items that were given up after all retries."""
        return self.call(
            "ListParked", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def retry_parked(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.RetryParked],
    ) -> AnswerT_co:
        """Let parked items be tried again."""
        return self.call(
            "RetryParked", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def add_entity_node(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.AddEntityNode],
    ) -> AnswerT_co:
        """Create a node, or merge a summary and attributes into it."""
        return self.call(
            "AddEntityNode", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def add_fact(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.AddFact],
    ) -> AnswerT_co:
        """Add a fact between two nodes; it ends those it contradicts."""
        return self.call("AddFact", given, request_id=request_id, idempotency_key=idempotency_key)

    def add_facts(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.AddFacts],
    ) -> AnswerT_co:
        """Add up to 100 facts in one transaction."""
        return self.call("AddFacts", given, request_id=request_id, idempotency_key=idempotency_key)

    def search_facts(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.SearchFacts],
    ) -> AnswerT_co:
        """Return the facts a text is about, best first: those valid and known now, or as asked."""
        return self.call(
            "SearchFacts", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def search_nodes(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.SearchNodes],
    ) -> AnswerT_co:
        """Return the nodes a text is about, best first."""
        return self.call(
            "SearchNodes", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def get_entity_edge(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.GetEntityEdge],
    ) -> AnswerT_co:
        """Return one fact, even one that is expired."""
        return self.call(
            "GetEntityEdge", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def get_episodes(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.GetEpisodes],
    ) -> AnswerT_co:
        """Return the newest episodes, oldest first."""
        return self.call(
            "GetEpisodes", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def get_memory(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.GetMemory],
    ) -> AnswerT_co:
        """Return the facts a conversation is about, as `search_facts` does."""
        return self.call("GetMemory", given, request_id=request_id, idempotency_key=idempotency_key)

    def delete_entity_edge(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.DeleteInput],
    ) -> AnswerT_co:
        """Erase a fact for all times. Cost: the file is rewritten."""
        return self.call(
            "DeleteEntityEdge", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def delete_episode(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.DeleteInput],
    ) -> AnswerT_co:
        """Erase an episode, and nothing learnt from it. Cost: the file is rewritten."""
        return self.call(
            "DeleteEpisode", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def delete_group(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.DeleteGroup],
    ) -> AnswerT_co:
        """Erase a group with all it holds. Cost: the file is rewritten."""
        return self.call(
            "DeleteGroup", given, request_id=request_id, idempotency_key=idempotency_key
        )

    def clear_all(
        self,
        *,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        **given: Unpack[inputs.Empty],
    ) -> AnswerT_co:
        """Erase every group; only for administrators. Cost: the file is rewritten for each."""
        return self.call("ClearAll", given, request_id=request_id, idempotency_key=idempotency_key)
