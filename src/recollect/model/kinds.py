"""The concept types that calls of Recollect itself write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class OwnType:
    """What is special about a type."""

    writer: str = ""  # the call that writes its concepts; empty: anyone may
    links: frozenset[str] = frozenset()  # predicates from its concepts that are the call's, too
    joins: frozenset[str] = frozenset()  # predicates from its concepts that anyone may write
    says: str = ""  # the attribute that says in words what such a concept means
    tells: str = ""  # the attribute that says more of it
    owns_links: bool = False  # whether every link from its concepts is the call's
    parts: frozenset[str] = frozenset()  # types erased with the last of its concepts that uses one
    has_unique_names: bool = False  # no two living concepts are called the same, case aside
    is_known: bool = True  # whether what such a concept holds is part of what the memory knows


OWN_TYPES: Final[Mapping[str, OwnType]] = {
    "Entity": OwnType(has_unique_names=True),
    "Episode": OwnType(writer="Operations.add_episodes"),
    "Claim": OwnType(
        writer="KnowledgeStore.write_claim",
        links=frozenset({"supported_by", "contradicted_by", "supersedes", "tagged"}),
        says="text",
        parts=frozenset({"Evidence", "Tag"}),
    ),
    "Evidence": OwnType(writer="KnowledgeStore.write_claim"),
    "RejectedClaim": OwnType(writer="Branch.learn", is_known=False),
    "Tag": OwnType(),  # what claims are tagged with
    "Number": OwnType(),  # what facts are told about, where it is no thing
    "Boolean": OwnType(),
    "Node": OwnType(
        says="label",
        tells="content",
        joins=frozenset({"in_space", "parent", "is_a", "has", "uses_function"}),
    ),
    "Article": OwnType(
        says="label",
        tells="content",
        joins=frozenset({"uses_template", "field_value", "field_node"}),
    ),
    **dict.fromkeys(("Note", "Action"), OwnType(says="label", tells="content")),
    "Space": OwnType(writer="Markup.apply", says="label", tells="content"),
    "Template": OwnType(writer="Markup.apply", says="label", tells="content"),
    "Function": OwnType(writer="Markup.apply", says="label", tells="content"),
    "Workflow": OwnType(writer="Markup.apply", says="label", tells="content"),
    "KnowledgePiece": OwnType(
        "KnowledgeBase.add_piece", frozenset({"belongs_to"}), says="content", tells="embedding_text"
    ),
    "KnowledgeEntity": OwnType(writer="KnowledgeDataLoader.load", says="label", owns_links=True),
    "MarkupCounter": OwnType(writer="Markup.apply"),
    **dict.fromkeys(("Exchange", "Call"), OwnType("Markup.exchanges", frozenset({"showed"}))),
    "WorkflowRun": OwnType(writer="Markup.runner", links=frozenset({"showed"})),
}
"""The concept types that calls of Recollect itself write, by name."""

OWN_LINKS: Final = frozenset(predicate for own in OWN_TYPES.values() for predicate in own.links)
"""The predicates of links that calls alone write from some of those types."""

KNOWN_LINKS: Final = OWN_LINKS.union(*(own.joins for own in OWN_TYPES.values()))
"""The predicates that need no definition in a strict group."""

OWNED: Final = frozenset(kind for kind, own in OWN_TYPES.items() if own.writer)
"""The types whose concepts a call alone writes."""

ASIDE: Final = frozenset(kind for kind, own in OWN_TYPES.items() if not own.is_known)
"""The types that the primer leaves out: what they hold is not part of what the memory knows."""


def is_owned_link(kind: str, predicate: str) -> bool:
    """Whether a link from a concept of a type is written by the call that writes the concept.

    >>> is_owned_link("Claim", "tagged"), is_owned_link("Claim", "about")
    (True, False)
    """
    own = OWN_TYPES.get(kind)
    return own is not None and (own.owns_links or predicate in own.links)
