"""The memory as calls, for servers: what each takes and answers as JSON.

The rule: an output has the members of the value that the face returns, as its `to_dict` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from recollect.faces.calls import call
from recollect.faces.memory.briefing import MAX_TOKENS
from recollect.faces.memory.memory import LIMIT, Memory
from recollect.faces.memory.model import Effect

Output = dict[str, Any]

_FACT: Final = {"subject": "Maria", "predicate": "works_at", "object": "BMW", "valid_at": "2026-05"}
_ID: Final = "0192f0c1-2b7e-7e55-8d7e-9d4e3f1a2b3c"


class MemoryCalls:
    """The calls of the memory of one group, for whoever acts."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @call("POST", "remember", "writes", example={"facts": [_FACT]})
    def remember(
        self,
        *,
        text: str | None = None,
        facts: Sequence[dict[str, Any]] | None = None,
        messages: Sequence[dict[str, Any]] | None = None,
        evidence: Sequence[dict[str, Any]] | None = None,
        confidence: float | None = None,
    ) -> Output:
        """Keep a claim with its evidence, facts, messages, or all of them."""
        return self._memory.remember(
            text, facts=facts, messages=messages, evidence=evidence, confidence=confidence
        ).to_dict()

    @call("POST", "recall", example={"question": "Where does Maria work?"})
    def recall(
        self,
        *,
        question: str,
        limit: int = LIMIT,
        kinds: Sequence[str] | None = None,
        max_tokens: int | None = None,
        as_of: dict[str, Any] | None = None,
        past: bool = False,
        threshold: float | None = None,
        cursor: str | None = None,
    ) -> Output:
        """Find what a question in plain words is about, best first."""
        return self._memory.recall(
            question,
            limit=limit,
            kinds=kinds,
            max_tokens=max_tokens,
            as_of=as_of,
            past=past,
            threshold=threshold,
            cursor=cursor,
        ).to_dict()

    @call("POST", "correct", "writes", example={"id": _ID, "object": "BMW"})
    def correct(
        self,
        *,
        id: str,
        text: str | None = None,
        object: str | bool | float | dict[str, Any] | None = None,
        valid_at: str | None = None,
        invalid_at: str | None = None,
        confidence: float | None = None,
        source: str | None = None,
        attributes: dict[str, Any] | None = None,
        evidence: Sequence[dict[str, Any]] | None = None,
    ) -> Output:
        """Put a memory right; what is left out stays as it was."""
        return self._memory.correct(
            id,
            text=text,
            object=object,
            valid_at=valid_at,
            invalid_at=invalid_at,
            confidence=confidence,
            source=source,
            attributes=attributes,
            evidence=evidence,
        ).to_dict()

    @call("POST", "undo", "writes", example={"id": _ID})
    def undo(self, *, id: str) -> Output:
        """Take back the last thing that was done to a memory."""
        return self._memory.undo(id).to_dict()

    @call("POST", "forget", "destroys", example={"id": _ID, "effect": "withdraw"})
    def forget(
        self,
        *,
        what: str | None = None,
        id: str | None = None,
        effect: Effect = "withdraw",
        at: str | None = None,
        reason: str | None = None,
        source: str | None = None,
        session: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = LIMIT,
        dry_run: bool | None = None,
    ) -> Output:
        """Let a memory end, withdraw it, or erase it; by a question it is a dry run first."""
        return self._memory.forget(
            what,
            id=id,
            effect=effect,
            at=at,
            reason=reason,
            source=source,
            session=session,
            since=since,
            until=until,
            limit=limit,
            dry_run=dry_run,
        ).to_dict()

    @call("GET", "memories", name="MemoryList", example={"kind": "fact", "limit": 20})
    def list(
        self,
        *,
        kind: str | None = None,
        about: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
        past: bool = False,
    ) -> Output:
        """List memories, the newest first."""
        return self._memory.list(kind, about=about, limit=limit, cursor=cursor, past=past).to_dict()

    @call("GET", "brief", example={"max_tokens": 800})
    def brief(
        self, *, topic: str | None = None, max_tokens: int = MAX_TOKENS, since: str | None = None
    ) -> Output:
        """Say what to know at the start of a session."""
        return self._memory.brief(topic, max_tokens=max_tokens, since=since).to_dict()

    @call("GET", "why", example={"id": _ID})
    def why(self, *, id: str, limit: int = 10, cursor: str | None = None) -> Output:
        """Say what a memory rests on, and what became of it."""
        return self._memory.why(id, limit=limit, cursor=cursor).to_dict()
