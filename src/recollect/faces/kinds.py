"""The kinds of memory that the faces keep, as values: what the kernel must respect of each.

The rule: nothing is loaded to know them. A memory is opened with all of them, so KML respects what
a face owns, and its indexes are there, whether that face is in use or not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import MappingProxyType
from typing import Final, ParamSpec

from recollect.kernel import Nexus
from recollect.model import Kind, Kinds

_P = ParamSpec("_P")

ACTIVE_CLAIMS: Final = MappingProxyType({"observed": 0.95, "inferred": 0.85, "verified": 1.0})
"""Statuses of claims that count, with the trust that recall puts in each."""

KIP: Final = (
    Kind("Domain", is_meant=False, is_given=False, is_kept_up=False),  # a shelf, not a thing
)

OPERATIONS: Final = (
    Kind("Entity", has_unique_names=True, is_made=True, joins=frozenset({"not_same_as"})),
    Kind(
        "Episode",
        "episode",
        call="Operations.add_episodes",
        text="body",
        names_are_ids=True,
        shown=(),
    ),
    # What facts are told about, where it is no thing.
    Kind("Number", is_meant=False, is_kept_up=False),
    Kind("Boolean", is_meant=False, is_kept_up=False),
)

CLAIMS: Final = (
    Kind(
        "Claim",
        "claim",
        call="KnowledgeStore.write_claim",
        text="text",
        names_are_ids=True,
        links=frozenset({"supported_by", "contradicted_by", "supersedes", "tagged"}),
        parts=frozenset({"Evidence", "Tag"}),
        support=frozenset({"supported_by", "contradicted_by"}),
        indexes=(
            "claim_status",
            "scope",
            "created_at",
            "confidence",
            "project_id",
            "domain",
            "session_id",
            "agent_id",
            "run_id",
            "show_id",
            "superseded_in_show",
            "attention_code",
        ),
        status="claim_status",
        active=ACTIVE_CLAIMS,
        shown=(),
    ),
    Kind(
        "Evidence",
        call="KnowledgeStore.write_claim",
        names_are_ids=True,
        is_memory=False,
        indexes=("artifact_id",),
    ),
    Kind("RejectedClaim", call="Branch.learn", names_are_ids=True, is_known=False),
    Kind("Tag", is_memory=False, is_meant=False),  # what claims are tagged with
)

KNOWLEDGE: Final = (
    Kind(
        "KnowledgePiece",
        "piece",
        call="KnowledgeBase.add_piece",
        text="content",
        more="embedding_text",
        names_are_ids=True,
        links=frozenset({"belongs_to"}),
        indexes=("entity_id",),
    ),
    Kind(
        "KnowledgeEntity",
        call="KnowledgeDataLoader.load",
        text="label",
        names_are_ids=True,
        owns_links=True,
        indexes=("entity_type",),
    ),
)


def _markup(type: str, call: str = "", *joins: str, links: frozenset[str] = frozenset()) -> Kind:
    return Kind(
        type,
        call=call,
        text="label",
        more="content",
        names_are_ids=True,
        links=links,
        joins=frozenset(joins),
    )


MARKUP: Final = (
    _markup("Node", "", "in_space", "parent", "is_a", "has", "uses_function"),
    _markup("Article", "", "uses_template", "field_value", "field_node"),
    _markup("Note"),
    _markup("Action"),
    _markup("Space", "Markup.apply"),
    _markup("Template", "Markup.apply"),
    _markup("Function", "Markup.apply"),
    _markup("Workflow", "Markup.apply"),
    Kind("MarkupCounter", call="Markup.apply", names_are_ids=True, is_known=False),
    *(
        Kind(type, call=call, names_are_ids=True, links=frozenset({"showed"}))
        for type, call in (
            ("Exchange", "Markup.exchanges"),
            ("Call", "Markup.exchanges"),
            ("WorkflowRun", "Markup.runner"),
        )
    ),
)

STUDIO: Final = (  # what a person asks, not what is known
    Kind("SavedQuestion", is_memory=False, is_known=False, is_meant=False, is_kept_up=False),
)

KINDS: Final = (*KIP, *OPERATIONS, *CLAIMS, *KNOWLEDGE, *MARKUP, *STUDIO)
"""All of them."""

ALL_KINDS: Final = Kinds(KINDS)
"""The registry of a memory that has all of them."""


def _with_kinds(call: Callable[_P, Nexus]) -> Callable[_P, Nexus]:
    @wraps(call)
    def opened(*args: _P.args, **kwargs: _P.kwargs) -> Nexus:
        kwargs.setdefault("kinds", KINDS)
        return call(*args, **kwargs)

    return opened


open_memory = _with_kinds(Nexus.open)
"""`Nexus.open` with the kinds of all faces: what `recollect.open` is."""
