"""What looks like a secret is refused wherever it stands, and prose about secrets is not."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.faces.knowledge import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgeBase,
    KnowledgePiece,
)
from recollect.faces.knowledge.secrets import Secrets

HELD = [
    "api_key=abcd1234",
    "API Key: abcd1234",
    "my apikey = 'x1'",
    "secret-key: x1y2",
    "access_key: AAAA",
    'client secret = "x"',
    "password: hunter2",
    "DB_PASSWORD=hunter2",
    '{"password": "hunter2"}',
    '{"password": "honey pot hunter2"}',
    "password='two words hunter2'",
    r'"token": "a \" hunter2"',
    "passwd=x",
    "token: 0123456789abcdef",
    "credentials: alice/x",
    "Authorization: Bearer abc.def-12345",
    "bearer 0a1b2c3d4e5f",
    "Authorization: Basic YWxpY2U6eA==",
    "AKIAIOSFODNN7EXAMPLE",
    "sk-abcdefghijklmnopqrstuvwx",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
]
FREE = [
    "Passwords are rotated every month.",
    "Never store an API key in the repository.",
    "tokenizer: bpe",
    "secretary: Bob",
    "The bearer of this letter is trusted.",
    "bearer bonds are securities",
    "A token is a word piece.",
    "AKIA is a prefix",
]


@pytest.mark.parametrize("text", HELD)
def test_what_looks_like_a_secret_is_one(text: str) -> None:
    assert Secrets().is_in(text)
    assert Secrets().is_in(f"We found that {text}, and went on.")


@pytest.mark.parametrize("text", FREE)
def test_prose_is_none(text: str) -> None:
    assert not Secrets().is_in(text)


@pytest.mark.parametrize("text", HELD)
def test_a_redacted_text_holds_none(text: str) -> None:
    redacted = Secrets().redacted(f"before {text}\nafter it")
    assert "[REDACTED]" in redacted
    assert "before" in redacted
    assert "hunter2" not in redacted
    assert not Secrets().is_in(redacted.replace("[REDACTED]", ""))


@pytest.mark.parametrize(
    "value",
    [
        KnowledgePiece("password: hunter2"),
        KnowledgePiece("x", embedding_text="password: hunter2"),
        KnowledgePiece("x", source="password: hunter2"),
        KnowledgePiece("x", tags=["password: hunter2"]),
        KnowledgePiece("x", piece_id="password: hunter2"),
        KnowledgePiece("x", entity_id="password: hunter2"),
        EntityMetadata("a", "user", {"password": "hunter2"}),
        EntityMetadata("a", "user", {"deep": {"list": [{"api_key": "hunter2"}]}}),
        EntityMetadata("a", "user", {"password": {"value": "hunter2"}}),
        EntityMetadata("a", "user", {"password": [[{"value": "hunter2"}]]}),
        EntityMetadata("a", "user", {"password": 1234}),
        EntityMetadata("a", "user", {"password: hunter2": 1}),
        GraphNode("a", "t", "password: hunter2"),
        GraphNode("a", "t", properties={"token": "hunter2"}),
        GraphEdge("a", "b", "T", {"note": "password: hunter2"}),
    ],
)
def test_every_stored_text_is_looked_at_and_never_told(value) -> None:
    with pytest.raises(RecollectError) as caught:
        Secrets().refuse(value)
    assert "hunter2" not in str(caught.value)


def test_a_name_without_a_value_is_none() -> None:
    for nothing in (None, True, {}, [], [None, False]):
        Secrets().refuse(EntityMetadata("a", "user", {"password": nothing}))
    Secrets().refuse(EntityMetadata("a", "user", {"password": {"rotated": None}}))


def test_json_is_redacted_as_it_would_be_refused() -> None:
    given = {"password": {"is": "hunter2", "old": None}, "team": "aero", "n": [1, {"token": "x"}]}
    assert Secrets().redacted_in(given) == {
        "password": {"is": "[REDACTED]", "old": None},
        "team": "aero",
        "n": [1, {"token": "[REDACTED]"}],
    }


def test_patterns_can_be_replaced_or_turned_off(kb: KnowledgeBase) -> None:
    kb.sensitive_patterns = ["JN-[0-9]+"]
    with pytest.raises(RecollectError):
        kb.add_piece(KnowledgePiece("On case JN-042 we tried."))
    kb.sensitive_patterns = []
    assert kb.add_piece(KnowledgePiece("password: hunter2"))


@pytest.mark.parametrize("patterns", [["("], ["(?=x)"], [5], "abc"])
def test_a_pattern_that_does_not_compile_is_refused(patterns: object) -> None:
    with pytest.raises(RecollectError) as caught:
        KnowledgeBase(sensitive_patterns=patterns)
    assert caught.value.code.code == "INVALID_ARGUMENT"
