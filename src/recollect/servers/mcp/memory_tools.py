"""The tools of the memory: each with its input above it, and what it says of itself as a docstring.

The rule: a tool is one call of the face, and answers what the face returns, shorter, so that it
fits a model's context. Unknown fields are refused. The definitions of all tools for every day
together cost a client at most 3,500 tokens, so a field is explained once and briefly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, NotRequired, cast
from urllib.parse import quote
from uuid import uuid4

from pydantic import ConfigDict, Discriminator, Field, Tag, with_config
from typing_extensions import TypedDict

from recollect.errors import PERMISSION_DENIED, Notice
from recollect.faces.memory import Corrected, Holding, MemoryRecord, RecalledRecord
from recollect.faces.operations import limits
from recollect.faces.operations.envelope import envelope_error
from recollect.integrations.exchange import FORMATS, take_in
from recollect.node import replace
from recollect.servers.mcp.fence import NOTE
from recollect.servers.mcp.folders import Folders
from recollect.servers.mcp.tool import Memory, ToolCall, tool

STRICT: Final = ConfigDict(extra="forbid", strict=True)
_CLOSED: Final[dict[str, Any]] = {
    "additionalProperties": False,
    "required": ["subject", "predicate", "object"],
}
_TOLD: Final = ConfigDict(extra="allow", strict=True, json_schema_extra=_CLOSED)
"""Of a fact, which the memory itself reads: it knows what is missing, and what another word is."""
MAX_TOKENS: Final = 2_000  # of what is recalled
_NAMES: Final = 50  # types, predicates and reasons that are listed of a file

Output = dict[str, Any]
Kind = Literal["fact", "claim", "episode", "piece", "concept"]
Name = Annotated[str, Field(min_length=1, max_length=limits.NAME)]


@with_config(STRICT)
class PointInput(TypedDict):
    """A point of both clocks; what is left out is now."""

    valid: NotRequired[Annotated[str, Field(description="only what was true then, ISO 8601")]]
    known: NotRequired[
        Annotated[
            str | int,
            Field(description="as the memory stood then: ISO 8601, or the number of a transaction"),
        ]
    ]


@with_config(STRICT)
class RecallInput(TypedDict):
    """A question to the memory."""

    question: Annotated[str, Field(min_length=1, max_length=10_000, description="plain words")]
    limit: NotRequired[Annotated[int, Field(ge=1, le=100, description="memories; 10")]]
    max_tokens: NotRequired[
        Annotated[int, Field(ge=100, le=20_000, description="of the answer, about; 2000")]
    ]
    kinds: NotRequired[
        Annotated[list[Kind], Field(min_length=1, description="only these; all of them")]
    ]
    as_of: NotRequired[PointInput]
    past: NotRequired[Annotated[bool, Field(description="what has ended, too")]]
    threshold: NotRequired[Annotated[float, Field(description="the lowest score")]]
    cursor: NotRequired[Annotated[str, Field(description="next_cursor of the same question")]]


@tool("Recall", example='{"question": "Where does Ann work?"}')
def recall(memory: Memory, given: RecallInput) -> Output:
    """Find what the memory knows about a question in plain words.

    Facts, claims, episodes, pieces of knowledge and concepts, best first, with scores, times and
    sources. Use it before you answer anything that an earlier conversation may have told.
    """
    said: dict[str, Any] = {"max_tokens": MAX_TOKENS, **given}
    found = memory.face.recall(**said)
    answer: Output = {"note": NOTE, "memories": [_recalled(one) for one in found.memories]}
    if found.nearest is not None:
        answer["nearest"] = _recalled(found.nearest)
    if found.cursor is not None:
        answer["next_cursor"] = found.cursor
    return answer | _warned(found.warnings)


def _recalled(one: RecalledRecord) -> Output:
    members = {**one.to_dict(), "uri": element_uri(one.memory.id)}
    why = members.pop("why", {})
    reasons = [words for name, (_, words) in why.items() if name != "trust"]
    return {**members, "why": "; ".join(reasons)} if reasons else members


@with_config(STRICT)
class Evidence(TypedDict):
    """What a claim rests on."""

    kind: Annotated[
        str,
        Field(
            description="message, user_statement, tool_result, artifact, url, file, "
            "model_inference or human_assertion"
        ),
    ]
    detail: NotRequired[Annotated[str, Field(description="a quote, a summary, a rationale")]]
    id: NotRequired[str]
    session_id: NotRequired[str]
    message_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    artifact_id: NotRequired[str]
    path: NotRequired[str]
    url: NotRequired[Annotated[str, Field(description="it is kept, never fetched")]]
    repo: NotRequired[str]
    commit_sha: NotRequired[str]
    content_hash: NotRequired[str]


@with_config(STRICT)
class NodeInput(TypedDict):
    """A concept by type and name; it is made where it is not there yet."""

    type: Name
    name: Name


@with_config(STRICT)
class NamedInput(TypedDict):
    """A thing by its id."""

    id: Name


def _named_by(given: object) -> str:
    return "Named" if isinstance(given, dict) and "id" in given else "Node"


Thing = Annotated[
    Annotated[NodeInput, Tag("Node")] | Annotated[NamedInput, Tag("Named")],
    Discriminator(_named_by),
]
Finite = Annotated[float, Field(allow_inf_nan=False)]
End = Annotated[Name | Thing, Field(description="a name; {type, name}; {id}")]
Object = Annotated[
    Name | Thing | bool | int | Finite,
    Field(description="as the subject, or a number, true or false"),
]


@with_config(_TOLD)
class Fact(TypedDict):
    """Told again with invalid_at, it ends."""

    subject: NotRequired[End]
    predicate: NotRequired[Annotated[Name, Field(description="such as works_at")]]
    object: NotRequired[Object]
    text: NotRequired[Annotated[str, Field(description="the fact as one sentence")]]
    valid_at: NotRequired[Annotated[str, Field(description="true since, ISO 8601")]]
    invalid_at: NotRequired[
        Annotated[str, Field(description="true until then, the first day it is not")]
    ]
    source: NotRequired[str]
    confidence: NotRequired[Annotated[float, Field(ge=0, le=1)]]
    replaces: NotRequired[Annotated[str, Field(description="the id of the fact that it ends")]]


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


@tool(
    "Remember",
    "writes",
    example='{"facts": [{"subject": "Ann", "predicate": "works_at", "object": "Acme"}]}',
    is_idempotent=True,
)
def remember(memory: Memory, given: Remember) -> Output:
    """Keep what is worth knowing later, all of it or nothing.

    Facts, a claim (text) with the evidence it rests on, messages. The same call twice keeps it
    once. A newer fact ends the one it takes the place of (works_at, lives_in, ...); the answer
    tells what else still holds.
    """
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
    reason: NotRequired[str]
    undo: NotRequired[Annotated[bool, Field(description="take back the last change")]]


@tool("Correct a memory", "writes", example='{"id": "the id of a memory", "object": "BMW"}')
def correct(memory: Memory, given: Correct) -> Output:
    """Put a memory right by its id: what you pass stands, the rest stays as it was."""
    said: dict[str, Any] = {key: one for key, one in given.items() if key not in ("id", "undo")}
    if given.get("undo"):
        return _corrected(memory.face.undo(given["id"]))
    return _corrected(memory.face.correct(given["id"], **said))


def _corrected(done: Corrected) -> Output:
    memory, before, undo = _kept(done.memory), _kept(done.before), _way_back(done.undo)
    answer: Output = {"memory": memory, "before": before, "undo": undo}
    return answer | _beside((), done.also_holds) | _warned(done.warnings)


@with_config(STRICT)
class Forget(TypedDict):
    """What is forgotten, and how."""

    id: NotRequired[str]
    question: NotRequired[str]
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


@tool("Forget", "destroys", example='{"id": "the id of a memory", "effect": "withdraw"}')
def forget(memory: Memory, given: Forget) -> Output:
    """Forget by id, or by what a question, source, session or time finds.

    end: true no longer; withdraw: not to be believed, the past keeps it; erase: gone for ever.
    Show the user what a dry run finds first.
    """
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


@with_config(STRICT)
class ListMemories(TypedDict):
    """Which memories."""

    kind: NotRequired[Kind]
    about: NotRequired[Annotated[str, Field(description="a name or an id")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=200, description="20")]]
    cursor: NotRequired[str]
    past: NotRequired[Annotated[bool, Field(description="what has ended, too")]]


@tool("List memories", example='{"about": "Ann"}')
def list_memories(memory: Memory, given: ListMemories) -> Output:
    """List memories, the newest first: of a kind, or about somebody or something."""
    found = memory.face.list(**given)
    answer: Output = {"note": NOTE, "memories": [_listed(one) for one in found.memories]}
    answer |= _warned(found.warnings)
    return answer if found.cursor is None else {**answer, "next_cursor": found.cursor}


@with_config(STRICT)
class AskBrief(TypedDict):
    """About what, and how long."""

    topic: NotRequired[Annotated[str, Field(description="a name or a question")]]
    max_tokens: NotRequired[Annotated[int, Field(ge=100, le=20_000, description="800")]]
    since: NotRequired[Annotated[str, Field(description="when the last session was")]]


@tool("Brief me", example='{"topic": "Ann"}')
def brief(memory: Memory, given: AskBrief) -> Output:
    """Get what to know at the start of a conversation, in words.

    Who you are, what holds, what changed, what is disputed.
    """
    return {"note": NOTE, **memory.face.brief(**given).to_dict()}


@with_config(STRICT)
class AddEpisode(TypedDict):
    """What happened or was said."""

    body: Annotated[str, Field(min_length=1, max_length=limits.BODY)]
    source: NotRequired[
        Annotated[Literal["message", "text", "json"], Field(description="what the body is; text")]
    ]
    name: NotRequired[Annotated[str, Field(max_length=limits.NAME)]]
    source_description: NotRequired[Annotated[str, Field(max_length=limits.NAME)]]
    reference_time: NotRequired[
        Annotated[str, Field(description="when it happened, ISO 8601; now")]
    ]
    uuid: NotRequired[Annotated[str, Field(description="its own id, kept once")]]


@tool("Add an episode", "writes", example='{"body": "Ann: I work at Acme."}')
def add_episode(memory: Memory, given: AddEpisode) -> Output:
    """Keep what happened or was said word for word, with its time.

    It is recalled and learnt from. For a single fact or claim use remember.
    """
    time = given.get("reference_time") or datetime.now(UTC).isoformat(timespec="milliseconds")
    id = given.get("uuid") or str(uuid4())
    item = {**given, "uuid": id, "source": given.get("source", "text"), "reference_time": time}
    envelope = memory.service.operations.call(
        "AddEpisodes", {"group_id": memory.group, "items": [item]}
    )
    if "error" in envelope:
        raise envelope_error(envelope["error"])
    return {"id": id, **envelope["output"]}


@with_config(STRICT)
class ExplainInput(TypedDict):
    """Which memory to explain."""

    id: Annotated[str, Field(min_length=1, max_length=1_000, description="the id of a memory")]
    limit: NotRequired[Annotated[int, Field(ge=1, le=50, description="steps of its past; 10")]]
    cursor: NotRequired[Annotated[str, Field(description="the next_cursor of an earlier answer")]]


@tool("Explain a memory", example='{"id": "the id of a memory that recall answered with"}')
def explain_memory(memory: Memory, given: ExplainInput) -> Output:
    """Show what one memory rests on and what became of it.

    Its evidence, the episodes it was learnt from, every version with who wrote it and when.
    """
    found = memory.face.why(**given)
    answer: Output = {"note": NOTE, **found.to_dict()}
    answer["memory"]["uri"] = element_uri(found.memory.id)
    answer["episodes"] = [{**one, "uri": element_uri(str(one["id"]))} for one in found.episodes]
    if "cursor" in answer:
        answer["next_cursor"] = answer.pop("cursor")
    return answer


@with_config(STRICT)
class ImportFile(TypedDict):
    """A file of another program, and how to read it."""

    path: Annotated[
        str, Field(min_length=1, max_length=4_096, description="below a folder that is allowed")
    ]
    format: NotRequired[
        Annotated[str, Field(max_length=100, description=f"auto, or one of {', '.join(FORMATS)}")]
    ]
    source: NotRequired[
        Annotated[
            str,
            Field(min_length=1, max_length=limits.NAME, description="where it says it comes from"),
        ]
    ]
    skip_bad: NotRequired[Annotated[bool, Field(description="leave out what cannot be read")]]
    dry_run: NotRequired[Annotated[bool, Field(description="report only, and write nothing")]]


@tool(
    "Import a file",
    "writes",
    example='{"path": "notes.jsonl", "dry_run": true}',
    is_idempotent=True,
)
def import_file(memory: Memory, given: ImportFile, call: ToolCall) -> Output:
    """Take in a file of another program: knowledge graphs, memories, tables, RDF.

    Try it with dry_run first and show the user what would come in. All of the file comes in or
    nothing, and what came in once changes nothing when it comes again.
    """
    said: dict[str, Any] = dict(given)
    path = said.pop("path")
    with (memory.folders or Folders()).opened(path) as file:
        told = take_in(
            memory.nexus,
            file,
            actor=memory.actor,
            request_id=call.request_id,
            progress=call.progress,
            cancelled=call.is_cancelled,
            name=path,
            **said,
        ).to_wire()
    most = {name: _most(told[name]) for name in ("concepts", "links", "skipped")}
    return {**told, **most}  # and nothing else of the file


def _most(counted: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the types, predicates and reasons of most records."""
    return sorted(counted, key=lambda one: (-one["records"], str(one)))[:_NAMES]


def element_uri(identifier: str) -> str:
    """Return the address of the resource that is one element."""
    return f"recollect://element/{quote(identifier, safe='')}"


def _kept(one: MemoryRecord) -> Output:
    shown = {"id": one.id, "text": one.text}
    told = {"when": one.when, "standing": one.standing}
    return shown | {name: words for name, words in told.items() if words}


def _listed(one: MemoryRecord) -> Output:
    told = {"type": one.type, "name": one.name} if one.kind == "concept" else {}
    shown = {"kind": one.kind, **told, **_kept(one)}
    return {**shown, "valid_at": one.valid_at} if one.valid_at else shown


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


def _warned(notices: Iterable[Notice]) -> Output:
    """Return what a caller should know of an answer, with hints that name the tools there are."""
    told = [replace(one, hint=_way_back(one.hint)).to_wire() for one in notices]
    return {"warnings": told} if told else {}
