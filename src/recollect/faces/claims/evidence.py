"""The eight ways to name evidence: `from_x` makes an EvidenceRef of the kind `x`.

From the strongest to the weakest: file and artifact, tool result and human assertion, url,
message and user statement, model inference.
"""

from __future__ import annotations

from typing import Final

from recollect.faces.claims.model import EvidenceRef
from recollect.faces.claims.validation import Kind

STRENGTH: Final[dict[Kind, int]] = {
    "file": 0,
    "artifact": 0,
    "tool_result": 1,
    "human_assertion": 1,
    "url": 2,
    "message": 3,
    "user_statement": 3,
    "model_inference": 4,
}
"""The rank of each kind, the strongest lowest."""


def from_message(session_id: str, message_id: str, quote: str | None = None) -> EvidenceRef:
    """Evidence from a chat message. The `quote` becomes EvidenceRef.detail."""
    return EvidenceRef(kind="message", session_id=session_id, message_id=message_id, detail=quote)


def from_tool_result(tool_call_id: str, summary: str | None = None) -> EvidenceRef:
    """Evidence from a tool execution result. The `summary` becomes EvidenceRef.detail."""
    return EvidenceRef(kind="tool_result", tool_call_id=tool_call_id, detail=summary)


def from_user_statement(session_id: str, message_id: str) -> EvidenceRef:
    """Evidence from an explicit user statement."""
    return EvidenceRef(kind="user_statement", session_id=session_id, message_id=message_id)


def from_artifact(artifact_id: str, path: str | None = None) -> EvidenceRef:
    """Evidence from a produced artifact (file, report, output)."""
    return EvidenceRef(kind="artifact", artifact_id=artifact_id, path=path)


def from_file(path: str, repo: str | None = None, commit: str | None = None) -> EvidenceRef:
    """Evidence from a file on disk or in a repo."""
    return EvidenceRef(kind="file", path=path, repo=repo, commit_sha=commit)


def from_url(
    url: str, fetched_at: float | None = None, content_hash: str | None = None
) -> EvidenceRef:
    """Evidence from a web resource."""
    return EvidenceRef(kind="url", url=url, fetched_at=fetched_at, content_hash=content_hash)


def from_model_inference(session_id: str, message_id: str, rationale: str) -> EvidenceRef:
    """Evidence from model reasoning: the weakest kind, so be honest about confidence."""
    return EvidenceRef(
        kind="model_inference", session_id=session_id, message_id=message_id, detail=rationale
    )


def from_human_assertion(
    user_id: str, asserted_at: float, detail: str | None = None
) -> EvidenceRef:
    """Evidence from a human's external assertion, such as "I verified this manually"."""
    return EvidenceRef(kind="human_assertion", id=user_id, fetched_at=asserted_at, detail=detail)


def strongest(evidence: list[EvidenceRef]) -> EvidenceRef | None:
    """Return the strongest reference, the first of equals.

    >>> strongest([from_url("https://example.org"), from_file("a.py")]).kind
    'file'
    """
    return min(evidence, key=lambda one: STRENGTH[one.kind], default=None)
