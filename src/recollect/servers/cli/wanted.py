"""What a command takes where that is more than a few options: one value, field by field.

The rule: a field says all that help says of its option, and has the name that the face below
gives it; who carries a command out takes the value as it is.
"""

from __future__ import annotations

import re
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import typer

from recollect.node import dataclass
from recollect.servers.cli.options import (
    AfterTransaction,
    Cursor,
    DryRun,
    FunctionsPlace,
    KeyName,
    KeyType,
    TokensFile,
    argument,
    option,
)

Evidence = Annotated[
    list[str] | None,
    option(
        "--evidence",
        "-e",
        "KIND=VALUE",
        'As file=src/saga.py or user_statement="Keep it short"; or an EvidenceRef in JSON.',
    ),
]
ScopeName = Annotated[str | None, option("--scope", "TYPE:ID", "As repo:github.com/acme/payments.")]
Project = Annotated[str | None, option("--project", "NAME", "The project it is about.")]
Domain = Annotated[str | None, option("--domain", "NAME", "Such as architecture.")]


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A claim as it is typed."""

    text: Annotated[str, argument("TEXT", "What is claimed.")]
    evidence: Evidence = None
    status: Annotated[str, option("--status", "STATUS", "observed, inferred or hypothesis.")] = (
        "observed"
    )
    confidence: Annotated[
        float, option("--confidence", "SHARE", "In the claim being true, 0 to 1.")
    ] = 1.0
    scope: ScopeName = None
    project: Project = None
    domain: Domain = None
    tags: Annotated[list[str] | None, option("--tag", "TAG", "Repeat it for more.")] = None
    id: Annotated[str | None, option("--id", "ID", "Of the new claim; else a new one.")] = None


@dataclass(frozen=True, slots=True)
class ClaimFilters:
    """Which claims are asked for; all that is given must be true of each."""

    status: Annotated[
        list[str] | None, option("--status", "STATUS", "Of this status. Repeat it for more.")
    ] = None
    scope: ScopeName = None
    project: Project = None
    domain: Domain = None
    tag: Annotated[str | None, option("--tag", "TAG", "With this tag.")] = None
    run: Annotated[str | None, option("--run", "ID", "Learned in this run.")] = None
    show: Annotated[str | None, option("--show", "ID", "Written or superseded in this show.")] = (
        None
    )
    session: Annotated[str | None, option("--session", "ID", "Learned in this session.")] = None
    agent: Annotated[str | None, option("--agent", "ID", "Scoped to this agent.")] = None
    artifact: Annotated[str | None, option("--artifact", "ID", "Citing this artifact.")] = None

    @property
    def fit_question(self) -> bool:
        """Whether a question takes all that is given."""
        return self == ClaimFilters(self.status, self.scope, self.project)


ExchangeContext = Literal["command", "conversation"]
Root = Annotated[str | None, argument("[ID]", "A space or a node; everything without it.")]
Attention = Annotated[str | None, option("--attention", "ID", "The node to show most of.")]
Budget = Annotated[int | None, option("--budget", "N", "Tokens of the text, about.", min=1)]
Depth = Annotated[int | None, option("--depth", "N", "Levels below the root.", min=0)]
Target = Annotated[str | None, option("--target", "ID", "Where new nodes go without a place.")]
Base = Annotated[
    int | None, option("--base", "N", "Refuse what changed after transaction N.", min=0)
]
Repair = Annotated[bool, option("--repair", "Mend what models get wrong.")]
Extra = Annotated[bool, option("--extra-fields", "Take fields of other names.")]
Functions = Annotated[
    list[str] | None, option("--function", "ID", "A FUNCTION that may be called. Repeat it.")
]


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """How a document is applied."""

    target: Target = None
    base: Base = None
    repair: Repair = False
    extra_fields: Extra = False
    dry_run: DryRun = False


@dataclass(frozen=True, slots=True)
class OutlineView:
    """What is shown of a memory."""

    root: Root = None
    attention: Attention = None
    budget: Budget = None
    depth: Depth = None
    transaction: AfterTransaction = None
    show_deleted: Annotated[
        bool, option("--deleted", "Show the places that were deleted, too.")
    ] = False


@dataclass(frozen=True, slots=True)
class Prompted:
    """What a model is shown, and may do; as `begin` of the face takes it."""

    root: Annotated[str | None, option("--root", "ID", "The space or node to show.")] = None
    context: Annotated[ExchangeContext, option("A command, or a conversation.")] = "command"
    attention_node: Attention = None
    budget: Budget = None
    target: Target = None
    functions: Functions = None


ForgetEffect = Literal["end", "withdraw", "erase"]
"""What `forget` does."""
Since = Annotated[str | None, option("--from", "INSTANT", "True since then.")]
Until = Annotated[str | None, option("--until", "INSTANT", "True until then.")]
Confidence = Annotated[
    float | None, option("--confidence", "How sure it is, from 0 to 1.", min=0, max=1)
]
Reason = Annotated[str | None, option("--reason", "Why; it is kept.")]
Source = Annotated[str | None, option("--source", "Where it comes from.")]
EvidenceWords = Annotated[
    list[str] | None,
    option(
        "--evidence",
        "-e",
        "KIND=VALUE",
        "What a claim rests on, as user_statement='Keep it short'; kinds: message, "
        "user_statement, tool_result, artifact, url, file, model_inference, human_assertion. "
        "Typed at a terminal, a claim is your word and needs none; in a script it needs one.",
    ),
]


class FactWords(NamedTuple):
    """A fact as it is typed."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class ToRemember:
    """What is to be kept."""

    text: Annotated[list[str] | None, typer.Argument(help="One claim, in a sentence.")] = None
    fact: Annotated[
        list[FactWords] | None,
        option(
            "--fact",
            "SUBJECT PREDICATE OBJECT",
            "As: Maria works_at BMW. Repeat it for more; --from and --until hold for all.",
        ),
    ] = None
    message: Annotated[
        list[str] | None, option("--message", "'NAME: WORDS'", "What was said; repeat it for more.")
    ] = None
    messages: Annotated[
        str | None, option("--messages", "FILE", "Messages as lines of JSON; - for standard input.")
    ] = None
    valid_at: Since = None
    invalid_at: Until = None
    evidence: EvidenceWords = None
    confidence: Confidence = None
    source: Source = None
    replaces: Annotated[str | None, option("--replaces", "ID", "The fact that it ends.")] = None

    @property
    def of_fact(self) -> dict[str, str | None]:
        """What is said of a fact alone, as a face takes it."""
        names = ("valid_at", "invalid_at", "source", "replaces")
        return {name: getattr(self, name) for name in names}


class MemoryKind(StrEnum):  # an option that is repeated takes no Literal
    """What `list` and `recall` keep to."""

    FACT = "fact"
    CLAIM = "claim"
    CONCEPT = "concept"
    EPISODE = "episode"
    PIECE = "piece"


Threshold = Annotated[
    float | None, option("--threshold", "SCORE", "Only what scores so much, 0 to 1.")
]
Past = Annotated[bool, option("--past", "What has ended or was corrected, too.")]


@dataclass(frozen=True, slots=True)
class ToRecall:
    """What is recalled, as a face takes it, and whether its score is explained."""

    question: Annotated[list[str], argument("QUESTION", "In plain words.")]
    kinds: Annotated[list[MemoryKind] | None, option("--kind", "Only these.")] = None
    limit: Annotated[int, option("--limit", "Memories.", min=1, max=100)] = 10
    max_tokens: Annotated[
        int | None, option("--max-tokens", "Of the answer, about.", min=100, max=20_000)
    ] = None
    threshold: Threshold = None
    cursor: Cursor = None
    past: Past = False
    why: Annotated[bool, option("--why", "What each score is made of.")] = False


@dataclass(frozen=True, slots=True)
class ToList:
    """What is listed, as a face takes it."""

    kind: Annotated[MemoryKind | None, typer.Argument(help="Of which kind.")] = None
    about: Annotated[str | None, option("--about", "A name or an id.")] = None
    limit: Annotated[int, option("--limit", "Memories.", min=1, max=200)] = 20
    cursor: Cursor = None
    past: Past = False


@dataclass(frozen=True, slots=True)
class ToBrief:
    """What a brief is about, as a face takes it."""

    topic: Annotated[list[str] | None, argument("[TOPIC]", "A name, or a question.")] = None
    max_tokens: Annotated[int, option("--max-tokens", "About so many.", min=100, max=20_000)] = 800
    since: Annotated[str | None, option("--since", "INSTANT", "When the last session was.")] = None


@dataclass(frozen=True, slots=True)
class ToCorrect:
    """What is right, as a face takes it."""

    object: Annotated[
        str | None, option("--object", "Of a fact: a name, a number, true or false.")
    ] = None
    text: Annotated[str | None, option("--text", "What it says.")] = None
    valid_at: Since = None
    invalid_at: Until = None
    confidence: Confidence = None
    source: Source = None
    attributes: Annotated[
        list[str] | None, option("--attribute", "NAME=VALUE", "Of a concept; JSON, or else text.")
    ] = None
    same_as: Annotated[
        str | None, option("--same-as", "NAME", "Of a concept: what it is, by name or id.")
    ] = None
    evidence: EvidenceWords = None
    reason: Reason = None


@dataclass(frozen=True, slots=True)
class ToForget:
    """What is to be forgotten, and how, as a face takes it."""

    what: Annotated[
        list[str] | None, argument("[QUESTION]", "What is to be forgotten, in plain words.")
    ] = None
    id: Annotated[str | None, option("--id", "ID", "Of one memory.")] = None
    effect: Annotated[
        ForgetEffect,
        option(
            "--how",
            "end: true no longer; withdraw: not to be believed, the past keeps it; "
            "erase: gone for ever.",
        ),
    ] = "withdraw"
    at: Annotated[str | None, option("--at", "INSTANT", "With --how end: until then.")] = None
    reason: Reason = None
    source: Annotated[str | None, option("--source", "All that came from it.")] = None
    session: Annotated[
        str | None, option("--session", "All that was said in it, or learnt there alone.")
    ] = None
    since: Annotated[str | None, option("--since", "INSTANT", "All that came since then.")] = None
    until: Annotated[str | None, option("--until", "INSTANT", "All that came before then.")] = None
    happened_since: Annotated[
        str | None, option("--happened-since", "INSTANT", "All that was said or began since then.")
    ] = None
    happened_until: Annotated[
        str | None, option("--happened-until", "INSTANT", "All that was said or began before then.")
    ] = None
    limit: Annotated[int, option("--limit", "At most so many.", min=1, max=200)] = 10


Sought = Literal["concept", "proposition"]
"""What `search` looks for."""


def names_in_use(context: typer.Context, what: str, incomplete: str) -> list[str]:
    """Return the types or the predicates in use that begin so."""
    from recollect.servers.cli.naming import names_in

    return names_in(context.params.get("db"), context.params.get("group"), what, incomplete)


def _types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the types in use that begin so, for the completion of a user's own shell."""
    return names_in_use(context, "types", incomplete)


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What is looked for, and how; the words of KIP stand in `ask.py`."""

    type: Annotated[
        str | None, option("--type", "TYPE", "Only concepts of this type.", autocompletion=_types)
    ] = None
    kind: Annotated[Sought | None, option("--kind", "Only concepts, or only propositions.")] = None
    limit: Annotated[int | None, option("--limit", "N", "At most this many; 10.", min=0)] = None
    mode: Annotated[str | None, option("--mode", "MODE", "keyword, semantic or hybrid.")] = None
    threshold: Threshold = None
    cursor: Cursor = None


Kip = Annotated[bool, option("--kip", "Print the KIP text that does it; change nothing.")]
Most = Annotated[int, option("--limit", "N", "Change at most this many.", min=0)]
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Erased:
    """What is to be erased, named in one of several ways."""

    id: Annotated[str | None, argument("ID", "The id of a concept or a link.")] = None
    type: KeyType = None
    name: KeyName = None
    query: Annotated[str | None, option("--query", "TEXT", "What this FIND finds.")] = None
    drop_group: Annotated[str | None, option("--drop-group", "NAME", "A whole group.")] = None


@dataclass(frozen=True, slots=True)
class UpkeepRun:
    """How the work is done: for good, as a rehearsal, or as a KIP text that would do it."""

    dry_run: DryRun = False
    kip: Kip = False


def _duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f'"{text}" is not a length of time: write it like 12h, 30d or 2w')
    try:
        return float(found[1]) * _UNITS[found[2]]
    except OverflowError:
        raise typer.BadParameter(f'"{text}" is longer than any memory') from None


@dataclass(frozen=True, slots=True)
class Fading:
    """How fast values fall, how far, and what is spared."""

    half_life: Annotated[
        timedelta, option("--half-life", "TIME", "As 12h, 30d or 2w.", parser=_duration)
    ] = "90d"  # type: ignore[assignment]  # the parser reads it
    floor: Annotated[float, option("--floor", "VALUE", "Nothing falls below it.")] = 0.1
    cycle: Annotated[
        timedelta, option("--cycle", "TIME", "Not twice in this time.", parser=_duration)
    ] = "1d"  # type: ignore[assignment]  # the parser reads it
    spare: Annotated[
        list[str] | None, option("--spare", "NAME", "A type or predicate that does not fade.")
    ] = None
    limit: Most = 2_000


Entity = Annotated[str | None, option("--entity", "ID", "Whom it is about: user:alice.")]
TopK = Annotated[int | None, option("--top-k", "N", "Pieces that words find; 5.", min=1, max=1_000)]
Text = Annotated[str, typer.Argument(metavar="TEXT", show_default=False)]


@dataclass(frozen=True, slots=True)
class KnowledgeQuestion:
    """What is looked for."""

    text: Text
    entity: Entity = None
    top_k: TopK = None


@dataclass(frozen=True, slots=True)
class NewPiece:
    """A piece of knowledge, as the face takes it."""

    content: Text
    piece_id: Annotated[str | None, option("--id", "ID", "Its id.")] = None
    knowledge_type: Annotated[
        str, option("--type", "TYPE", "fact, instruction, preference, and others.")
    ] = "fact"
    info_type: Annotated[str, option("--info-type", "NAME", "Where it goes in a prompt.")] = (
        "context"
    )
    tags: Annotated[list[str] | None, option("--tag", "TAG", "Repeat it for more.")] = None
    entity_id: Entity = None


ImportFormat = Literal[
    "auto", "kip", "mcp-memory", "mem0", "graphiti", "csv", "jsonl", "turtle", "ntriples"
]
"""What `import` reads."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How files are to be taken in, as the exchange takes it."""

    format: Annotated[ImportFormat, option("--format", "What they are.")] = "auto"
    type: Annotated[str, option("--type", "TYPE", "Of things that a file gives no type.")] = (
        "Entity"
    )
    source: Annotated[
        str | None, option("--source", "NAME", "What it comes from; else the file's name.")
    ] = None
    dry_run: DryRun = False
    skip_bad: Annotated[bool, option("--skip-bad", "Leave out lines that cannot be read.")] = False


Port = Annotated[int | None, option("--port", "PORT", "0 is any; 7411.", min=0, max=65535)]
Functional = Annotated[
    list[str] | None,
    option("--functional", "NAME", "A relation with one target at a time. Repeat it for more."),
]
Threads = Annotated[
    int | None,
    option(
        "--threads",
        "N",
        "Requests each works on at once; 2, or 8 where an embedder is asked over HTTP.",
        min=1,
        max=64,
    ),
]
Processes = Annotated[
    int | None,
    option(
        "--processes",
        "N",
        "Processes that share the work, as many as there are cores at most; else 1.",
        min=1,
        max=64,
    ),
]
LogForm = Literal["json", "text", "none"]
"""How the log is written."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How a memory is served."""

    host: Annotated[str | None, option("--host", "HOST", "Where to listen; 127.0.0.1.")] = None
    port: Port = None
    tokens: TokensFile = None
    insecure: Annotated[bool, option("--insecure", "Let everybody in from everywhere.")] = False
    threads: Threads = None
    processes: Processes = None
    no_worker: Annotated[bool, option("--no-worker", "Leave the queue to recollect worker.")] = (
        False
    )
    check_at: Annotated[
        str | None,
        option("--check-at", "HH:MM", "Examine the memory every day at this time, in UTC."),
    ] = None
    functional: Functional = None
    functions: FunctionsPlace = None
    log: Annotated[LogForm, option("--log", "The form of the log.")] = "json"


TOOL_SETS: Final = ("memory", "kip", "knowledge", "markup")
ReadOnly = Annotated[bool, option("--read-only", "Offer nothing that writes.")]
ImportFrom = Annotated[
    list[Path] | None,
    option("--import-from", "DIR", "A folder that files may be taken in from. Repeat it for more."),
]


@dataclass(frozen=True, slots=True)
class Offered:
    """What a program is offered of a memory."""

    read_only: ReadOnly = False
    import_from: ImportFrom = None


@dataclass(frozen=True, slots=True)
class AgentService(Offered):
    """How programs are served; `http` is HOST:PORT, None for standard input."""

    http: Annotated[
        str | None, option("--http", "HOST:PORT", "Streamable HTTP instead of standard input.")
    ] = None
    tokens: TokensFile = None
    tools: Annotated[
        str | None, option("--tools", "SETS", "Of memory, kip, knowledge and markup; all of them.")
    ] = None
    allow_erase: Annotated[
        bool, option("--allow-erase", "Let programs erase memories for ever.")
    ] = False

    def tool_sets(self) -> frozenset[str]:
        """Return the sets of tools that are offered."""
        if self.tools is None:
            return frozenset(TOOL_SETS)
        sets = frozenset(one.strip() for one in self.tools.split(",") if one.strip())
        if not sets or not sets <= {*TOOL_SETS}:
            known = ", ".join(TOOL_SETS)
            raise typer.BadParameter(f"--tools takes {known}, with commas between them")
        return sets
