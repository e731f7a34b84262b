"""The inputs of the tools, field by field; the schemas that a client sees are made of them.

The rule: unknown fields are refused. What a claim, a
piece of evidence or a time may hold is said by the face it belongs to.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Discriminator, Field, Tag, with_config
from typing_extensions import TypedDict

from recollect.faces.operations import limits
from recollect.integrations.exchange import FORMATS

STRICT = ConfigDict(extra="forbid", strict=True)

Kind = Literal["fact", "claim", "episode", "piece", "concept"]
KINDS: tuple[Kind, ...] = ("fact", "claim", "episode", "piece", "concept")
"""What a memory recalls."""

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
    cursor: NotRequired[Annotated[str, Field(description="next_cursor of the same question")]]


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


@with_config(STRICT)
class Fact(TypedDict):
    """Told again with invalid_at, it ends."""

    subject: End
    predicate: Annotated[Name, Field(description="such as works_at")]
    object: Object
    text: NotRequired[Annotated[str, Field(description="the fact as one sentence")]]
    fact: NotRequired[Annotated[str, Field(description="as text")]]
    valid_at: NotRequired[Annotated[str, Field(description="true since, ISO 8601")]]
    invalid_at: NotRequired[
        Annotated[str, Field(description="true until then, the first day it is not")]
    ]
    source: NotRequired[str]
    confidence: NotRequired[Annotated[float, Field(ge=0, le=1)]]
    replaces: NotRequired[Annotated[str, Field(description="the id of the fact that it ends")]]


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


@with_config(STRICT)
class ExplainInput(TypedDict):
    """Which memory to explain."""

    id: Annotated[str, Field(min_length=1, max_length=1_000, description="the id of a memory")]
    limit: NotRequired[Annotated[int, Field(ge=1, le=50, description="steps of its past; 10")]]
    cursor: NotRequired[Annotated[str, Field(description="the next_cursor of an earlier answer")]]
