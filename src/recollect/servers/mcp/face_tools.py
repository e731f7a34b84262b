"""The tools of the faces: of the memory, of the knowledge base and of Knowing Markup.

The rule: a tool is one call of its face, and answers what the face returns, shorter, so that it
fits a model's context. The definitions of all tools for every day together cost a client at most
3,500 tokens, so a field is explained once and briefly; the schemas that a client sees are made of
what the tools take and answer with, member by member. What a prompt is provided with is the same
that an agent in this process would get; markup that is not strict is repaired, with a notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, NotRequired, cast
from urllib.parse import quote
from uuid import uuid4

from pydantic import BeforeValidator, Field, JsonValue, with_config
from typing_extensions import TypedDict

from recollect.errors import PERMISSION_DENIED, Notice
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece, KnowledgeProvider
from recollect.faces.markup import Markup
from recollect.faces.markup.wire import to_wire
from recollect.faces.memory import Corrected, Holding, MemoryRecord, RecalledRecord
from recollect.faces.operations.envelope import envelope_error
from recollect.kernel import Nexus
from recollect.node import replace
from recollect.servers.mcp.fence import NOTE
from recollect.servers.mcp.inputs import (
    STRICT,
    AddEpisode,
    Evidence,
    ExplainInput,
    Fact,
    RecallInput,
)
from recollect.servers.mcp.memory import Memory

Members = dict[str, JsonValue]


Output = dict[str, Any]

MAX_TOKENS: Final = 2_000  # of what is recalled


@with_config(STRICT)
class Remember(TypedDict):
    """What is kept."""

    text: NotRequired[
        Annotated[str, Field(min_length=1, max_length=10_000, description="one claim, a sentence")]
    ]
    evidence: NotRequired[
        Annotated[list[Evidence], Field(max_length=20, description="a claim needs at least one")]
    ]
    confidence: NotRequired[Annotated[float, Field(ge=0, le=1, description="of the claim; 1")]]
    facts: NotRequired[Annotated[list[Fact], Field(max_length=1_000)]]
    messages: NotRequired[
        Annotated[list[dict[str, Any]], Field(description="each content, role, timestamp")]
    ]


@with_config(STRICT)
class Correct(TypedDict):
    """What is right."""

    id: str
    object: NotRequired[Annotated[Any, Field(description="of a fact, as in remember")]]
    text: NotRequired[str]
    valid_at: NotRequired[str]
    invalid_at: NotRequired[str]
    confidence: NotRequired[float]
    source: NotRequired[str]
    attributes: NotRequired[Annotated[dict[str, Any], Field(description="of a concept")]]
    same_as: NotRequired[Annotated[str, Field(description="what a concept is")]]
    evidence: NotRequired[Annotated[list[dict[str, Any]], Field(description="of a claim's text")]]
    undo: NotRequired[Annotated[bool, Field(description="take back the last change")]]


@with_config(STRICT)
class Forget(TypedDict):
    """What is forgotten, and how."""

    id: NotRequired[str]
    question: NotRequired[Annotated[str, Field(description="what it finds is shown first")]]
    effect: NotRequired[Literal["end", "withdraw", "erase"]]
    at: NotRequired[Annotated[str, Field(description="when it ended")]]
    reason: NotRequired[str]
    source: NotRequired[str]
    session: NotRequired[str]
    since: NotRequired[str]
    until: NotRequired[str]
    happened_since: NotRequired[str]
    happened_until: NotRequired[str]
    limit: NotRequired[Annotated[int, Field(ge=1, le=200, description="at most; 10")]]
    dry_run: NotRequired[Annotated[bool, Field(description="true unless an id is given")]]


@with_config(STRICT)
class ListMemories(TypedDict):
    """Which memories."""

    kind: NotRequired[Literal["fact", "claim", "episode", "piece", "concept"]]
    about: NotRequired[Annotated[str, Field(description="a name or an id")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=200, description="20")]]
    cursor: NotRequired[str]
    past: NotRequired[Annotated[bool, Field(description="what has ended, too")]]


@with_config(STRICT)
class AskBrief(TypedDict):
    """About what, and how long."""

    topic: NotRequired[Annotated[str, Field(description="a name or a question")]]
    max_tokens: NotRequired[Annotated[int, Field(ge=100, le=20_000, description="800")]]
    since: NotRequired[Annotated[str, Field(description="when the last session was")]]


def recall(memory: Memory, given: RecallInput) -> Output:
    """Return the memories a question is about, and the cursor of those that are left."""
    said: dict[str, Any] = {"max_tokens": MAX_TOKENS, **given}
    found = memory.face.recall(**said)
    answer: Output = {"note": NOTE, "memories": [_recalled(one) for one in found.memories]}
    if found.nearest is not None:
        answer["nearest"] = _recalled(found.nearest)
    if found.cursor is not None:
        answer["next_cursor"] = found.cursor
    return answer | _warned(found.warnings)


def explain_memory(memory: Memory, given: ExplainInput) -> Output:
    """Return one memory, its episodes, its steps and, of a claim, its events."""
    found = memory.face.why(**given)
    answer: Output = {"note": NOTE, **found.to_dict()}
    answer["memory"]["uri"] = element_uri(found.memory.id)
    answer["episodes"] = [{**one, "uri": element_uri(str(one["id"]))} for one in found.episodes]
    if "cursor" in answer:
        answer["next_cursor"] = answer.pop("cursor")
    return answer


def element_uri(identifier: str) -> str:
    """Return the address of the resource that is one element."""
    return f"recollect://element/{quote(identifier, safe='')}"


def remember(memory: Memory, given: Remember) -> Output:
    """Keep a claim, facts or both; a claim without evidence is refused, and that is recorded."""
    done = memory.face.remember(**cast("Any", given))
    answer: Output = {}
    if done.claim is not None:
        answer["claim"] = {**_kept(done.claim), "status": done.claim.status}
        answer["claim"]["confidence"] = done.claim.confidence
    if done.facts:
        answer["facts"] = [_kept(one) for one in done.facts]
    if done.episodes:
        answer["episodes"] = list(done.episodes)
    return answer | _beside(done.ended, done.also_holds) | _warned(done.warnings)


def correct(memory: Memory, given: Correct) -> Output:
    """Put a memory right, or take back the last change."""
    said: dict[str, Any] = {key: one for key, one in given.items() if key not in ("id", "undo")}
    if given.get("undo"):
        return _corrected(memory.face.undo(given["id"]))
    return _corrected(memory.face.correct(given["id"], **said))


def forget(memory: Memory, given: Forget) -> Output:
    """Forget a memory by its id, or show what a question names."""
    if given.get("effect") == "erase" and not memory.may_erase:
        raise PERMISSION_DENIED.error(
            "this server erases nothing",
            'use effect "withdraw"; to erase, start it with --allow-erase',
        )
    said: dict[str, Any] = {key: one for key, one in given.items() if key != "question"}
    done = memory.face.forget(given.get("question"), **said)
    answer: Output = {
        "effect": done.effect,
        "dry_run": done.is_dry_run,
        "memories": [_kept(one) for one in done.memories],
    }
    if done.undo:
        answer["undo"] = _way_back(done.undo)
    answer |= _warned(done.warnings)
    return {**answer, "receipts": list(done.receipts)} if done.receipts else answer


def list_memories(memory: Memory, given: ListMemories) -> Output:
    """List memories, the newest first."""
    found = memory.face.list(**given)
    answer: Output = {"note": NOTE, "memories": [_listed(one) for one in found.memories]}
    answer |= _warned(found.warnings)
    return answer if found.cursor is None else {**answer, "next_cursor": found.cursor}


def brief(memory: Memory, given: AskBrief) -> Output:
    """Say what to know at the start of a session."""
    told = memory.face.brief(**given)
    return {"note": NOTE, **told.to_dict()}


def _recalled(one: RecalledRecord) -> Output:
    members = {**one.to_dict(), "uri": element_uri(one.memory.id)}
    why = members.pop("why", {})
    reasons = [words for name, (_, words) in why.items() if name != "trust"]
    return {**members, "why": "; ".join(reasons)} if reasons else members


def _kept(one: MemoryRecord) -> Output:
    shown = {"id": one.id, "text": one.text}
    told = {"when": one.when, "standing": one.standing}
    return shown | {name: words for name, words in told.items() if words}


def _listed(one: MemoryRecord) -> Output:
    shown = {"kind": one.kind, **_kept(one)}
    return {**shown, "valid_at": one.valid_at} if one.valid_at else shown


def _corrected(done: Corrected) -> Output:
    memory, before, undo = _kept(done.memory), _kept(done.before), _way_back(done.undo)
    answer: Output = {"memory": memory, "before": before, "undo": undo}
    return answer | _beside((), done.also_holds) | _warned(done.warnings)


def _warned(notices: Iterable[Notice]) -> Output:
    """Return what a caller should know of an answer, with hints that name the tools there are."""
    told = [replace(one, hint=_way_back(one.hint)).to_wire() for one in notices]
    return {"warnings": told} if told else {}


def _way_back(words: str) -> str:
    """Return how something is taken back, by the tools that there are."""
    match words.split():
        case ["undo", id]:
            return f'correct with {{"id": "{id}", "undo": true}}'
    return words.replace("undo it by its id", 'correct with its id and "undo": true')


def _beside(ended: Iterable[Holding], held: Iterable[Holding]) -> Output:
    """Return what a write ended, and what goes on beside it, with how to end what should not."""
    told = {
        "ended": [one.to_dict() for one in ended],
        "also_holds": [one.to_dict() for one in held],
    }
    return {name: those for name, those in told.items() if those}


def add_episode(memory: Memory, given: AddEpisode) -> Output:
    """Keep what happened, and return its id; facts are found in it afterwards."""
    time = given.get("reference_time") or datetime.now(UTC).isoformat(timespec="milliseconds")
    id = given.get("uuid") or str(uuid4())
    item = {**given, "uuid": id, "source": given.get("source", "text"), "reference_time": time}
    envelope = memory.service.operations.call(
        "AddEpisodes", {"group_id": memory.group, "items": [item]}
    )
    if "error" in envelope:
        raise envelope_error(envelope["error"])
    return {"id": id, **envelope["output"]}


Entity = Annotated[str, Field(description="whom it is about, such as user:alice")]


@with_config(STRICT)
class ProvideKnowledge(TypedDict):
    """What is asked."""

    query: Annotated[str, Field(max_length=10_000, description="what the user wants, in words")]
    entity_id: NotRequired[Entity]
    top_k: NotRequired[Annotated[int, Field(ge=1, le=1_000, description="pieces; 5")]]


@with_config(STRICT)
class AddKnowledge(TypedDict):
    """A piece."""

    content: Annotated[str, Field(min_length=1, description="one statement that stands alone")]
    knowledge_type: NotRequired[
        Annotated[
            Literal["fact", "instruction", "preference", "procedure", "note", "episodic"],
            BeforeValidator(lambda given: given.lower() if isinstance(given, str) else given),
        ]
    ]
    info_type: NotRequired[
        Annotated[str, Field(description="user_profile, instructions, context or skills")]
    ]
    tags: NotRequired[list[str]]
    entity_id: NotRequired[Entity]


def provide_knowledge(nexus: Nexus, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Return what is known for a question, by info type."""
    with KnowledgeBase(nexus=nexus) as kb:
        provider = KnowledgeProvider(kb, entity_id=given.get("entity_id"), top_k=given.get("top_k"))
        return {"note": NOTE, "sections": provider(given["query"])}


def add_knowledge(nexus: Nexus, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Keep a piece."""
    with KnowledgeBase(nexus=nexus) as kb:
        return {"piece_id": kb.add_piece(KnowledgePiece.from_dict(given))}


BUDGET: Final = 4_000
"""What is shown at once where no budget is given: a third of the bytes, about tokens."""

_MOST_BUDGET: Final = 20_000
_TEXT: Final = 2**20


@with_config(STRICT)
class ReadMarkup(TypedDict):
    """What is to be shown."""

    root: NotRequired[Annotated[str, Field(description="a space or a node; everything")]]
    attention: NotRequired[Annotated[str, Field(description="the node to show most of")]]
    budget: NotRequired[
        Annotated[int, Field(ge=1, le=_MOST_BUDGET, description="of the text, in tokens; 4000")]
    ]


@with_config(STRICT)
class ApplyMarkup(TypedDict):
    """A change."""

    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_TEXT,
            description="Knowing Markup; new nodes are `- ID: new-1 [created]`",
        ),
    ]
    base: NotRequired[Annotated[int, Field(description="the transaction of what was read before")]]
    dry_run: NotRequired[Annotated[bool, Field(description="tell only what would change")]]


def read_markup(nexus: Nexus, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Show a memory, a space or a branch within a budget."""
    rendered = Markup(nexus).render(
        given.get("root"), attention=given.get("attention"), budget=given.get("budget", BUDGET)
    )
    return {
        "note": NOTE,
        "text": rendered.text,
        "transaction": rendered.transaction,
        "omitted": rendered.omitted,
    }


def apply_markup(memory: Memory, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Do what a text changes."""
    applied = Markup(memory.nexus, actor=memory.actor).apply(
        given["text"], base=given.get("base"), dry_run=given.get("dry_run", False), repair=True
    )
    return {
        "text": to_wire(applied.reply),
        "ids": dict(applied.ids),
        "changes": [str(one) for one in applied.changes],
        "notices": [one.to_wire() for one in applied.notices],
        "transaction": applied.transaction,
        "is_dry_run": applied.is_dry_run,
    }
