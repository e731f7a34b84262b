"""What an operation works with: the memory, the caller, the policy, and the parts that plug in.

The rule: every part keeps a promise to all operations. A group that a caller may not see is refused
before anything is looked up. What was accepted is durable before the caller hears of it. A leg of a
search answers for one group and one moment, only with what is there and true then, best first, ties
by id; an element without a vector is simply not in its answer, and a leg that cannot answer raises
EMBEDDER_UNAVAILABLE, and leaves the search to the other one. Logs and metrics learn about every
operation and every step. Specification 004, sections 10 and 14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from recollect.errors import PERMISSION_DENIED, refused
from recollect.faces.operations import limits
from recollect.faces.operations.episodes import EpisodeDraft
from recollect.faces.operations.inputs import AsOfInput as AsOfInput
from recollect.faces.operations.outputs import Answered, Item, State, Status
from recollect.faces.operations.records import ENTITY
from recollect.kernel import Nexus, parse_instant
from recollect.model import AsOf, Dated, Element, ElementKind, Instant, Ranked, normal_text
from recollect.node import dataclass, field


@dataclass(frozen=True, slots=True)
class Observation:
    """One operation that has ended."""

    operation: str
    request_id: str
    groups: tuple[str, ...]
    status: Status
    error_code: str | None
    seconds: float
    accepted: int = 0  # episodes and messages taken in
    cause: str | None = None  # the code of the underlying error, if it is a different one
    embedding_failures: int = 0  # searches and writes that went on without vectors


@dataclass(slots=True)
class Tally:
    """What is counted while one operation runs."""

    embedding_failures: int = 0


Observer = Callable[[Observation], None]


def unobserved(observation: Observation) -> None:
    """Do nothing."""
    del observation


@dataclass(frozen=True, slots=True)
class Transition:
    """An item that is in a new state, durably."""

    group: str
    episode_uuid: str
    state: State
    failed: State | None  # the failure substate of the step, also of the last before parking
    attempts: int
    error: str | None
    seconds: float  # that the step took, an equal share of those who took it together


Watcher = Callable[[Transition], None]


def unwatched(transition: Transition) -> None:
    """Do nothing."""
    del transition


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller with its groups (None: every group); `name` is the actor it is recorded as."""

    groups: frozenset[str] | None = None
    is_admin: bool = True
    name: str | None = None

    def check(self, groups: Iterable[str]) -> None:
        """Raise PERMISSION_DENIED for the first group the caller may not see."""
        for group in groups:
            if self.groups is not None and group not in self.groups:
                raise PERMISSION_DENIED.error(
                    f'the group "{group}" is not open to this caller',
                    "name a group of your own, or ask for a token that has this one",
                )

    def acting_as(self, said: str | None) -> str | None:
        """Return who acts; PERMISSION_DENIED for a caller with a name who says another."""
        if self.name is None or said is None or said == self.name:
            return self.name or said
        raise PERMISSION_DENIED.error(
            "the token belongs to somebody other than the actor", "leave out actor"
        )

    def check_admin(self) -> None:
        """Raise PERMISSION_DENIED for a caller that may not clear every group."""
        if not self.is_admin:
            raise PERMISSION_DENIED.error(
                "only an administrator clears all groups", "delete your own groups with DeleteGroup"
            )

    def seen(self, groups: Iterable[str]) -> list[str]:
        """Return those of the groups that the caller may see."""
        return [one for one in groups if self.groups is None or one in self.groups]


EVERYONE = Caller()
"""The caller of a memory in its own process."""


class SemanticLeg(Protocol):
    """Finds by meaning what the keyword leg finds by words."""

    def facts(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nearest facts of the group of `nexus`, at most `limit`; none: no leg."""

    def nodes(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nearest nodes of the group of `nexus`, at most `limit`; none: no leg."""


class ByMeaning:
    """Compares questions with the vectors of the memory, if it has an embedder."""

    def facts(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the facts whose words are nearest."""
        return _nearest(nexus, query, ElementKind.LINK, None, limit, as_of)

    def nodes(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nodes whose name and summary are nearest."""
        own = _nearest(nexus, query, ElementKind.CONCEPT, ENTITY, limit, as_of)
        others = _nearest(nexus, query, ElementKind.CONCEPT, None, limits.LOOKED_AT, as_of)
        keys = nexus.elements.keys([one.id for one in others], as_of=as_of)
        free = [one for one in others if one.id in keys and nexus.kinds.is_free(keys[one.id].type)]
        return sorted({*own, *free}, key=lambda one: (-one.score, one.id))


def _nearest(
    nexus: Nexus, query: str, kind: ElementKind, type_: str | None, limit: int, as_of: AsOf
) -> Sequence[Ranked]:
    if nexus.vectors.model is None:
        return ()
    return nexus.vectors.nearest(query, kind, type=type_, limit=limit, as_of=as_of)


@dataclass(frozen=True, slots=True)
class Progressed:
    """Where the items of one receipt stand, in the order they were given."""

    items: tuple[Item, ...]


class Ingestion(Protocol):
    """Takes episodes in and learns from them; every call is about the one group of `nexus`."""

    def accept(
        self,
        nexus: Nexus,
        episodes: Sequence[EpisodeDraft],
        *,
        request_id: str,
        actor: str | None = None,
    ) -> str:
        """Keep the episodes, all or none, to be learnt from; return the id of a receipt.

        CONFLICT for an episode whose uuid has another payload; a replay is taken in once.
        """

    def receipt(self, nexus: Nexus, receipt_id: str) -> Progressed | None:
        """Return where the items of a receipt stand; None for one that was never given."""

    def parked(self, nexus: Nexus) -> Sequence[Item]:
        """Return the parked items of the group, in the order they were accepted."""

    def retry(self, nexus: Nexus, episode_uuids: Sequence[str] | None) -> int:
        """Let parked items be tried again, all or those of some episodes; return how many."""


class Replays(Protocol):
    """Remembers the answers that were given under idempotency keys, by group and operation."""

    def once(
        self, nexus: Nexus, operation: str, key: str, payload: bytes, run: Callable[[], Answered]
    ) -> Answered:
        """Run and remember, or return what the first call with the same payload was answered.

        `payload` is a hash of the input. CONFLICT for another payload under the same key.
        """


@dataclass(frozen=True, slots=True)
class Policy:
    """What the specification leaves to the service."""

    search_attributes: tuple[str, ...] = ("summary",)
    """Attributes of nodes that are searched beside the name."""

    functional: frozenset[str] = frozenset()
    """Relations under which a node has one target at a time, beside those declared so."""

    rerank_weight: float = 0.2
    """Of nearness to the centre node, against relevance."""

    def is_functional(self, name: str) -> bool:
        """Whether a relation is functional, in whatever spelling."""
        return normal_text(name) in {normal_text(one) for one in self.functional}


@dataclass(frozen=True, slots=True)
class Context:
    """What one call of an operation works with."""

    nexus: Nexus
    ingestion: Ingestion
    replays: Replays
    policy: Policy = field(default_factory=Policy)
    caller: Caller = EVERYONE
    semantic: SemanticLeg = field(default_factory=ByMeaning)
    request_id: str = ""
    tally: Tally = field(default_factory=Tally)

    def group(self, name: str) -> Nexus:
        """Return the memory of a group; PERMISSION_DENIED for one the caller may not see."""
        self.caller.check([name])
        return self.nexus.group(name)

    def holders(
        self,
        uuid: str,
        group: str | None,
        is_wanted: Callable[[Element], bool],
        as_of: AsOf | None = None,
    ) -> Iterator[tuple[Nexus, Dated]]:
        """Yield where an element of a kind is, closed ones too, in the groups that may be seen."""
        names = [group] if group is not None else self.caller.seen(self.nexus.groups(every=True))
        for name in names:
            nexus = self.group(name)
            dated = nexus.elements.look_up([uuid], as_of=as_of, closed=True).get(uuid)
            if dated is not None and is_wanted(dated.element):
                yield nexus, dated

    def holder(
        self,
        uuid: str,
        group: str | None,
        is_wanted: Callable[[Element], bool],
        as_of: AsOf | None = None,
    ) -> tuple[Nexus, Dated] | None:
        """Return where an element is; INVALID_ARGUMENT when several groups have one."""
        found = list(self.holders(uuid, group, is_wanted, as_of))
        if len(found) > 1:
            known = tuple(nexus.group_name for nexus, _ in found)
            raise refused(
                f'the uuid "{uuid}" is in {len(found)} groups',
                f'pass group_id "{known[0]}"',
                known=known,
            )
        return found[0] if found else None


def asked_moment(given: AsOfInput) -> AsOf:
    """Return the point in both times that an input names, and nothing where it names none."""
    return AsOf(valid=_instant(given.get("valid_as_of")), known=_instant(given.get("known_as_of")))


def current_moment(nexus: Nexus, given: AsOfInput) -> AsOf:
    """Return the point in both times to read at: valid now unless the input says otherwise."""
    asked = asked_moment(given)
    valid = nexus.now() if asked.valid is None else asked.valid
    return AsOf(valid=valid, known=asked.known)


def _instant(text: str | None) -> Instant | None:
    return None if text is None else parse_instant(text)
