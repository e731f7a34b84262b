"""What an agent should know at the start of a session, in words and within bounds.

The rule: the sections come in the order of their weight, each as many lines as there is room for;
no ids where there are names. What was withdrawn is told as what changed since last time alone.
The last section goes first when the room ends. Who the agent is, whom it serves, what is known and
what holds now are what DESCRIBE PRIMER tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Final

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.faces.memory.listing import listed
from recollect.faces.memory.model import Brief, MemoryRecord, recalled, records_named
from recollect.faces.memory.naming import SELF
from recollect.faces.memory.told import ACTORS
from recollect.kernel import Nexus, RecallQuestion, compared_by, instant, tokens
from recollect.model import Concept, Description, Value, instant_text

MAX_TOKENS: Final = 800
BYTES_OF_TOKEN: Final = 3  # about: four of English, three of Chinese

_EPISODE: Final = "episode"

_NOTHING: Final = "nothing is remembered of it"
_LINES: Final = 20  # of a section
_SAID: Final = 5  # episodes
_SAID_LAST: Final = f"""FIND(?one.id) WHERE {{ ?one {{type: "Episode"}} }}
ORDER BY ?one.attributes.reference_time DESC, ?one.metadata._created_at DESC LIMIT {_SAID}"""
_BARE: Final = """FIND(?one) WHERE { ?one {type: $made} FILTER(IN(?one.name, $names))
NOT { (?one, ?predicate, ?object) } }"""
_SERVES: Final = (SELF, "serves")
_NEAR: Final = 0.4  # of the best score of what words recall: what has ended counts half
_LONGEST: Final = 300  # characters of a line
Records = Sequence[MemoryRecord]

_LOOKED_AT: Final = 100  # facts that are looked through for what ended


def brief_of(
    nexus: Nexus, topic: str | None, max_tokens: int, since: str | None, actor: str | None
) -> Brief:
    """Return what to know before a conversation; `topic` is a name or a question."""
    if type(max_tokens) is not int or not 100 <= max_tokens <= 20_000:
        raise refused("max_tokens is not from 100 to 20000", "use max_tokens=800")
    room, parts, is_whole = max_tokens * BYTES_OF_TOKEN, list[str](), True
    for title, lines in _sections(nexus, topic, since, actor):
        section = [f"{' '.join(title.split())[:_LONGEST]}:"]
        room -= len(section[0].encode()) + 1
        for line in lines:
            told = f"- {' '.join(line.split())[:_LONGEST]}"  # no text begins a line of its own
            if len(told.encode()) + 1 > room:
                is_whole = False
                break
            room -= len(told.encode()) + 1
            section.append(told)
        if len(section) > 1:
            parts.append("\n".join(section))
        if not is_whole:
            break
    text = "\n".join(parts) or "The memory holds nothing yet."
    return Brief(text, instant_text(nexus.now()), is_whole)


def _sections(
    nexus: Nexus, topic: str | None, since: str | None, actor: str | None
) -> Iterator[tuple[str, Iterable[str]]]:
    primer = nexus.read("DESCRIBE PRIMER").only(Description)
    identity = primer.body["identity"]
    yield "Who you are", _who(nexus, identity, actor)
    served = [*map(str, _items(identity.get("serves")))] if isinstance(identity, dict) else []
    if topic is not None:
        facts, claims, said, unsure = _about(nexus, topic)
        told = [*unsure, *_told(_saying(facts))]
        yield f"About {topic}", told if facts or claims or said else [_NOTHING]
    else:
        once = set[str]()  # a line is told where it belongs first
        for one in served:
            facts, _, _, unsure = _about(nexus, one)
            lines = [*unsure, *_told(_saying(facts))]
            once.update(lines)
            yield f"About {one}, whom you serve", lines
        yield "What is known of", _known(nexus, primer.body["domain_map"])
        facts, claims = (
            listed(nexus, kind, None, _LOOKED_AT, None, past=True).memories
            for kind in ("fact", "claim")
        )
        said = records_named(nexus, [str(id) for (id,) in nexus.read(_SAID_LAST).rows])
        holds = [*map(str, _items(primer.body["holds"]))]
        live = [*map(str, _saying(facts))]
        left = min(len(live) - len(holds), len({*live} - {*holds} - once))  # a long one is cut
        others = [one for one in holds if one not in once]
        yield "What holds now", [*others, *([_more(left)] if left > 0 else ())]
    if since is not None:
        held = [one for one in (*facts, *claims, *said) if not one.standing]
        new = [one for one in held if _is_after(one.created_at, since)]
        yield f"What is new since {since[:10]}", _told(_saying(new))
    yield "What holds no longer, or not yet", _told(_changed([*facts, *claims], since))
    active = [one for one in claims if not one.standing]
    learnt = dict.fromkeys(f"{one.text} [{one.status}]" for one in active)  # on any evidence
    yield "What was learnt", islice(learnt, _LINES)
    yield "What was said last", _told(said)
    yield "What is disputed", _told(one for one in claims if one.standing == "disputed")


def _changed(records: Iterable[MemoryRecord], since: str | None) -> Iterator[MemoryRecord]:
    """Yield what ended or is to come; of what was put right or withdrawn, what was so since."""
    for one in records:
        times = (one.expired_at, one.created_at, one.invalid_at, one.valid_at)
        is_wrong = one.expired_at is not None or one.kind == "claim"
        if since is None:
            if one.standing and not is_wrong:
                yield one
        elif one.standing not in ("", "disputed") and any(_is_after(at, since) for at in times):
            yield one


def _who(nexus: Nexus, identity: Value, actor: str | None) -> Iterator[str]:
    found = [] if actor is None else [f"you act as {actor}, in the group {nexus.group_name}"]
    for name, value in identity.items() if isinstance(identity, dict) else ():
        if value:
            told = "; ".join(map(str, _items(value))) or str(value)
            found.append(f"you serve {told}" if name == "serves" else f"{name}: {told}")
    yield from found
    if found:
        yield f"you recall by {compared_by(nexus.vectors.model)}"


def _known(nexus: Nexus, domains: Value) -> Iterator[str]:
    """Yield the names that most is told of, by type; what is no more than a value is none."""
    known = {
        str(one.get("domain")): _items(one.get("key_concepts"))
        for one in _items(domains)
        if isinstance(one, dict) and nexus.kinds.is_free(str(one.get("domain")))
    }
    given: dict[str, Value] = {"made": str(nexus.kinds.made), "names": [*chain(*known.values())]}
    found = [one for (one,) in nexus.read(_BARE, given).rows]
    values = {one.name for one in found if isinstance(one, Concept) and not one.attributes}
    for domain, names in known.items():
        if told := [str(one) for one in names if one not in (*ACTORS, *values)]:
            yield f"{domain}: {', '.join(told)}"


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _about(nexus: Nexus, topic: str) -> tuple[Records, Records, Records, list[str]]:
    """Return what is held about a thing of that name, else what the words recall; by kind.

    First facts and what is like them, then claims, then what was said; last what may be it too.
    """
    unsure: list[str] = []
    try:
        of_it = listed(nexus, None, topic, _LOOKED_AT, None, past=True)
        found, unsure = of_it.memories, [one.message for one in of_it.warnings]
    except RecollectError as error:
        if error.code is not RESOURCE_NOT_FOUND:
            raise
        answer = recalled(nexus, RecallQuestion(topic, _LINES, past=True)).memories
        if len(tokens(topic)) == 1:  # a word is no question: what is only near is not about it
            answer = tuple(one for one in answer if "words" in one.why)
        least = max((one.score for one in answer), default=0) * _NEAR
        found = tuple(one.memory for one in answer if one.score >= least)
    apart = ("claim", _EPISODE)
    facts = [one for one in found if one.kind not in apart]
    claims = [one for one in found if one.kind == "claim"]
    said = [one for one in found if one.kind == _EPISODE and not one.standing]
    said.sort(key=lambda one: one.said_at or "", reverse=True)
    return facts, claims, said[:_SAID], unsure


def _saying(records: Iterable[MemoryRecord]) -> Iterator[MemoryRecord]:
    """Yield what holds and says more than a name, with what a concept is told to be.

    Whom the agent serves is told where it is told who it is.
    """
    for one in records:
        if one.standing or (one.subject, one.predicate) == _SERVES:
            continue
        told = "; ".join(f"{key}: {_said(value)}" for key, value in one.attributes.items())
        if one.kind == "concept" and told:
            yield replace(one, text=f"{one.text} ({told})")
        elif one.text != one.name:
            yield one


def _told(records: Iterable[MemoryRecord]) -> Iterator[str]:
    """Yield the first memories in words, each text once."""
    seen = dict.fromkeys(map(str, records))
    yield from islice(seen, _LINES)
    if len(seen) > _LINES:
        yield _more(len(seen) - _LINES)


def _more(many: int) -> str:
    """Say that there are others, at least so many: no more than a hundred are looked through."""
    return f"and {many} more, as a list shows"


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_after(at: str | None, since: str) -> bool:
    return at is not None and instant(at) >= instant(since)
