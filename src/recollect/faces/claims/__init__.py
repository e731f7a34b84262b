"""The claims: knowledge that must show its evidence, on the one graph. Specification 002."""

from recollect.faces.claims.attention import EMPTY_EVIDENCE, AttentionItem, AttentionQueue
from recollect.faces.claims.audit_log import DataLogger, LogEntry
from recollect.faces.claims.branch import Branch, Session
from recollect.faces.claims.checking import Checker, EvidenceReport
from recollect.faces.claims.feed import FeedEvent
from recollect.faces.claims.lifecycle import TRANSITIONS
from recollect.faces.claims.model import (
    ACTIVE,
    ACTOR_TYPES,
    KINDS,
    SCOPE_TYPES,
    STATUSES,
    Actor,
    Claim,
    ClaimEvent,
    EvidenceRef,
    Scope,
    acting,
    acting_now,
)
from recollect.faces.claims.protocol import KnowledgeStore, NullKnowledgeStore
from recollect.faces.claims.records import claim_events, claims_of, is_claim, one_claim
from recollect.faces.claims.stores import (
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    SQLiteKnowledgeStore,
)
from recollect.faces.claims.viewing import (
    claim_line,
    derive_claim_severity,
    from_artifact,
    from_file,
    from_human_assertion,
    from_message,
    from_model_inference,
    from_tool_result,
    from_url,
    from_user_statement,
)
from recollect.faces.claims.wire import evidence_from
from recollect.faces.claims.writing import Writer

__all__ = [
    "ACTIVE",
    "ACTOR_TYPES",
    "EMPTY_EVIDENCE",
    "KINDS",
    "SCOPE_TYPES",
    "STATUSES",
    "TRANSITIONS",
    "Actor",
    "AttentionItem",
    "AttentionQueue",
    "Branch",
    "Checker",
    "Claim",
    "ClaimEvent",
    "DataLogger",
    "EvidenceRef",
    "EvidenceReport",
    "FeedEvent",
    "KnowledgeStore",
    "LogEntry",
    "MemoryKnowledgeStore",
    "NexusKnowledgeStore",
    "NullKnowledgeStore",
    "SQLiteKnowledgeStore",
    "Scope",
    "Session",
    "Writer",
    "acting",
    "acting_now",
    "claim_events",
    "claim_line",
    "claims_of",
    "derive_claim_severity",
    "evidence_from",
    "from_artifact",
    "from_file",
    "from_human_assertion",
    "from_message",
    "from_model_inference",
    "from_tool_result",
    "from_url",
    "from_user_statement",
    "is_claim",
    "one_claim",
]
