"""What looks like a secret is never stored, and its value never told.

The rule: a pattern asks for a name of a secret with a value, or for the form of a known key; prose
about passwords is no secret. Patterns are RE2's, so a text is read in linear time. In a text to be
structured each match becomes `[REDACTED]` before a model or a record sees it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import re2

from recollect.errors import refused
from recollect.faces.knowledge.model import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    checked_list,
)

REDACTED: Final = "[REDACTED]"

_NAMES: Final = "|".join(
    (
        *("api[_ -]?key", "secret[_ -]?key", "access[_ -]?key", "client[_ -]?secret"),
        *("password", "passwd", "token", "credentials?"),
    )
)

_VALUE: Final = r"""(?:"(?:[^"\\\n]|\\.)+"|'(?:[^'\\\n]|\\.)+'|["']?[^\s"',;]+["']?)"""
"""In quotes to the closing one, else a word."""

SENSITIVE_PATTERNS: Final[Sequence[str]] = (
    # Private keys come first: their lines would else be taken in parts.
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)",
    r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?basic\s+[a-z0-9+/=]+",
    r"(?i)\bbearer\s+[a-z0-9_~+/=.-]*[0-9.-][a-z0-9_~+/=.-]*",
    rf"(?i)(?:{_NAMES})[\"']?\s*[:=]\s*{_VALUE}",
    r"\bAKIA[0-9A-Z]{16}\b",
    r"\bsk-[A-Za-z0-9_-]{20,}",
    r"\bgh[pos]_[A-Za-z0-9]{30,}",
)
"""The patterns that are looked for, unless others are given."""

_LEAST_BEARER: Final = 8


class Secrets:
    """The patterns of one knowledge base."""

    def __init__(self, patterns: Sequence[str] | None = None) -> None:
        self._is_default = patterns is None
        given = (
            SENSITIVE_PATTERNS if patterns is None else checked_list("sensitive_patterns", patterns)
        )
        self._patterns = [_compiled(one) for one in given]
        self._any = _compiled_set(tuple(given))

    def is_in(self, text: str) -> bool:
        """Whether a text holds what looks like a secret.

        >>> secrets = Secrets()
        >>> secrets.is_in("password: hunter2"), secrets.is_in("Passwords are rotated monthly.")
        (True, False)
        """
        read = _readable(text)
        return any(
            next(self._secret_spans(self._patterns[place], read), None) is not None
            for place in self._any.Match(read) or ()
        )

    def redacted(self, text: str) -> str:
        """Return a text with `[REDACTED]` in place of what looks like a secret."""
        text = _readable(text)
        for pattern in self._patterns:
            parts, at = [], 0
            for start, end in self._secret_spans(pattern, text):
                parts += [text[at:start], REDACTED]
                at = end
            text = "".join((*parts, text[at:]))
        return text

    def redacted_in(self, value: Any, *keys: str) -> Any:  # noqa: ANN401
        """Return JSON, the value of keys, with `[REDACTED]` for what looks like a secret."""
        match value:
            case Mapping():
                return {
                    self.redacted(key): self.redacted_in(one, *keys, key)
                    for key, one in value.items()
                }
            case list():
                return [self.redacted_in(one, *keys) for one in value]
            case None | bool():
                return value
            case _:
                shown = self.redacted(said := str(value))
                if shown != said:
                    return shown
                return REDACTED if any(self.is_in(f"{key}: {said}") for key in keys) else value

    def refuse(self, value: KnowledgePiece | EntityMetadata | GraphNode | GraphEdge) -> None:
        """Raise INVALID_ARGUMENT for a value that would store a secret; it is not told."""
        texts = list(_texts(value))
        # Most values hold none: one look over all of their texts together says so.
        if not self._any.Match("\n".join(text for _, text in texts)):
            return
        for field, text in texts:
            if self.is_in(text):
                raise refused(
                    f"{field} holds what looks like a secret",
                    "leave out passwords, API keys and tokens",
                )

    def _secret_spans(self, pattern: Any, text: str) -> Iterator[tuple[int, int]]:  # noqa: ANN401
        for match in pattern.finditer(text):
            start, end = match.span()
            shown = match.group()
            is_bearer = self._is_default and shown[:6].lower() == "bearer"
            if start < end and not (is_bearer and len(shown[6:].strip()) < _LEAST_BEARER):
                yield start, end


def _readable(text: str) -> str:
    """Return a text with `?` in place of what is no character, which RE2 cannot read."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=256)
def _compiled(pattern: object) -> Any:  # noqa: ANN401
    try:
        return re2.compile(pattern)
    except (re2.error, TypeError, ValueError) as error:
        raise refused(
            "a sensitive pattern is not a regular expression of RE2",
            "leave out look-ahead and back references",
        ) from error


@lru_cache(maxsize=16)
def _compiled_set(patterns: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Return what finds which of several patterns are in a text, in one look."""
    found = re2.Set.SearchSet()
    for one in patterns:
        found.Add(one)
    found.Compile()
    return found


def _texts(
    value: KnowledgePiece | EntityMetadata | GraphNode | GraphEdge,
) -> Iterator[tuple[str, str]]:
    """Yield the fields of a value with their texts, and each `key: value` of its properties."""
    match value:
        case KnowledgePiece():
            named = {
                "content": value.content,
                "piece_id": value.piece_id,
                "info_type": value.info_type,
                "entity_id": value.entity_id,
                "source": value.source,
                "embedding_text": value.embedding_text,
            }
            yield from ((name, text) for name, text in named.items() if text)
            yield from (("tags", one) for one in value.tags)
        case EntityMetadata():
            yield "entity_id", value.entity_id
            yield "entity_type", value.entity_type
            yield from _properties("properties", value.properties)
        case GraphNode():
            yield "node_id", value.node_id
            yield "node_type", value.node_type
            yield "label", value.label
            yield from _properties("properties", value.properties)
        case GraphEdge():
            yield "source_id", value.source_id
            yield "target_id", value.target_id
            yield "edge_type", value.edge_type
            yield from _properties("properties", value.properties)


def _properties(place: str, value: object, *keys: str) -> Iterator[tuple[str, str]]:
    """Yield each key and text of JSON, and a text after each of the keys above it."""
    match value:
        case Mapping():
            for position, (key, one) in enumerate(value.items()):
                shown = f"{place}[{position}]"  # a key may be the secret
                yield shown, key
                yield from _properties(shown, one, *keys, key)
        case list():
            for one in value:
                yield from _properties(place, one, *keys)
        case None | bool():
            return  # says no secret, whatever its key
        case _:
            told = value if isinstance(value, str) else json.dumps(value)
            yield place, told
            yield from ((place, f"{key}: {told}") for key in keys)
