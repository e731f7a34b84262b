"""The steps of the pipeline, how items go from one to the next, and what is written of them.

The rule: a step is executed under a lease, and its effect and the item's new state are one
transaction, so that every state is durable before the next step begins. A few items of a group
share the transactions of each step, and nothing else: what fails of one is undone alone. A step
that fails is tried again three times, later each time; then the item is parked, and nothing of
it was written.

An extractor that asks what the group already knows is told everything that earlier episodes told.
If some of that is not written yet, only what is certain already is answered; one that asks for more
is called again later. Its extraction is one batch, nodes and then facts, written whole or not at
all; made uuids are functions of what they name. Specification 004, sections 5 to 7, 9 and 11.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Final, cast
from uuid import uuid4

from recollect.errors import INTERNAL_ERROR, STORE_BUSY, RecollectError
from recollect.faces.operations import limits
from recollect.faces.operations.context import Policy, Transition, Watcher, unwatched
from recollect.faces.operations.facts import put_fact, put_node
from recollect.faces.operations.inputs import FactItem
from recollect.faces.operations.naming import fact_uuid, node_uuid, others_named
from recollect.faces.operations.outputs import EpisodeOutput as ShownEpisode, State
from recollect.faces.operations.pipeline.extraction import (
    Edge,
    Extraction,
    check_refs,
    checked_extraction,
    outside_refs,
    own_uuids,
    tmp_refs,
)
from recollect.faces.operations.pipeline.ports import (
    Clock,
    Embedding,
    Episode,
    Extracted,
    Extractor,
    Refused,
    Rejected,
    VectorsInAdvance,
    system_clock,
)
from recollect.faces.operations.pipeline.progress import Progress, moved
from recollect.faces.operations.records import (
    ENTITY,
    episode as shown_episode,
    inferred_from,
    is_episode,
    is_fact,
    is_node,
)
from recollect.kernel import Nexus
from recollect.llm import Usage
from recollect.model import (
    BEGINNING,
    FACT,
    FOREVER,
    AsOf,
    Change,
    Concept,
    Hits,
    Instant,
    Local,
    PutConcept,
    Reference,
    WorkItem,
)
from recollect.node import dataclass, field


class Early(Exception):
    """That a group is asked for what is not written yet."""


@dataclass(slots=True)
class GroupKnowledge:
    """The group of a nexus; it implements `ports.Known`.

    `is_early` says that something told before is not written yet; `is_awaited` that it was asked
    for, which raised `Early`.
    """

    nexus: Nexus
    is_early: bool = False
    is_awaited: bool = field(default=False, init=False)

    def nodes(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (uuid, name) of the nodes a text is about, best first."""
        if not text.strip():
            return []
        self._wait()
        hits = self.nexus.search(text, "concept", ENTITY, limit, mode="keyword").only(Hits)
        elements = [one.element for one in hits.hits]
        return [(one.id, one.name) for one in elements if isinstance(one, Concept)]

    def facts(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (relation, words) of the living facts a text is about, best first."""
        if not text.strip():
            return []
        self._wait()
        moment = AsOf(valid=self.nexus.now())
        ranked = self.nexus.elements.rank_facts(text, limit, through=ENTITY, as_of=moment)
        found = self.nexus.elements.look_up([one.id for one in ranked], as_of=moment)
        elements = [found[one.id].element for one in ranked if one.id in found]
        return [(one.predicate, str(one.attributes[FACT])) for one in elements if is_fact(one)]

    def node_types(self, uuids: Sequence[str]) -> Mapping[str, str]:
        """Return the types of those of the uuids that are nodes of the group."""
        found = self.nexus.elements.look_up(uuids) if uuids else {}
        elements = {uuid: dated.element for uuid, dated in found.items()}
        nodes = {uuid: one.type for uuid, one in elements.items() if is_node(one)}
        if len(nodes) < len(set(uuids)):
            self._wait()
        return nodes

    def _wait(self) -> None:
        if self.is_early:
            self.is_awaited = True
            raise Early


def write_extraction(
    nexus: Nexus, policy: Policy, episode: Episode, extraction: Extraction
) -> tuple[str, ...]:
    """Write what an episode says, and return what to know of its names.

    INVALID_ARGUMENT for a ref that names nothing any more.
    """
    nodes = GroupKnowledge(nexus).node_types(sorted(outside_refs(extraction)))
    check_refs(extraction, nodes)
    told = list[str]()
    put = _nodes(nexus, policy, episode, extraction, told)
    changes: list[Change] = [*put, *_facts(nexus, policy, episode, extraction)]
    if not changes:
        return ()
    # No uuid of the episode: the log keeps what it is told when the episode is purged.
    written = nexus.write(changes, actor="pipeline")
    return (*told, *(one.message for one in written.notices if one.code == "name_of_two"))


def _nodes(
    nexus: Nexus, policy: Policy, episode: Episode, extraction: Extraction, told: list[str]
) -> Iterator[PutConcept]:
    """Yield what puts the nodes; `told` gets which of several others a name may mean."""
    for at, node in enumerate(extraction.get("nodes") or []):
        name, uuid = node["name"], node.get("uuid")
        put = put_node(
            policy, name, uuid=uuid, summary=node.get("summary"), attributes=node.get("attributes")
        )
        put = replace(
            put,
            new_id=node_uuid(nexus.group_name, name),  # where it is not there yet
            source=episode.uuid,
            handle=_handle(at),
        )
        others = () if uuid is not None else others_named(nexus, name)
        if len(others) == 1:
            (other,) = (one.element for one in others)
            put = replace(
                put, type=other.type, name=other.name, id=other.id, metadata={}, new_id=None
            )
        elif others and others[0].by != "name":  # of what is written so the memory tells itself
            known = (f"{one.element.name} ({one.detail}, {one.element.id})" for one in others)
            told.append(f'"{name}" is new beside {"; ".join(known)}, which are called so')
        yield put


def _facts(
    nexus: Nexus, policy: Policy, episode: Episode, extraction: Extraction
) -> Iterator[Change]:
    edges = extraction.get("edges") or []
    places = {**own_uuids(extraction), **tmp_refs(extraction)}
    made = [fact_uuid(episode.uuid, at) for at in range(len(edges))]
    # An episode that was deleted and told again has left its facts under these uuids.
    taken = nexus.elements.look_up(made, closed=True)
    for uuid, edge in zip(made, edges, strict=True):
        put = put_fact(
            policy,
            _item(edge, episode, None if uuid in taken else uuid),
            observed_at=episode.reference_time,
            subject=_end(edge["source_ref"], places),
            target=_end(edge["target_ref"], places),
        )
        quote = edge.get("quote")
        inferred = {} if quote is None else inferred_from(episode.uuid, episode.body, quote)
        yield replace(put, attributes={**put.attributes, **inferred})


def _item(edge: Edge, episode: Episode, uuid: str | None) -> FactItem:
    return FactItem(
        uuid=uuid,
        name=edge["name"],
        fact=edge["fact"],
        source_node_uuid=edge["source_ref"],
        target_node_uuid=edge["target_ref"],
        valid_at=edge.get("valid_at"),
        invalid_at=edge.get("invalid_at"),
        qualifiers=edge.get("qualifiers"),
        source_episode_uuid=episode.uuid,
    )


def _end(ref: str, places: Mapping[str, int]) -> Reference:
    return Local(_handle(places[ref])) if ref in places else ref


def _handle(at: int) -> str:
    return f"node{at}"


LEASE_SECONDS: Final = 8.0
"""With a look at the queue now and then, what a killed worker held is taken up in ten seconds."""

_PORTION: Final = 16  # items that go from step to step together
_PORTION_MILLISECONDS: Final = 100  # after which a step of a portion comes to no further item
_MOST_RETRY_SECONDS: Final = 3_600.0
_MILLISECONDS: Final = 1_000

_REACHED: Final[Mapping[str, State]] = {
    "accepted": "accepted",
    "extract_failed": "accepted",
    "extracted": "extracted",
    "embed_failed": "extracted",
    "embedded": "embedded",
    "upsert_failed": "embedded",
    "upserted": "upserted",
}
"""How far an item is that is in a state from which something is to be done."""

_FAILURES: Final[Mapping[State, State]] = {
    "accepted": "extract_failed",
    "extracted": "embed_failed",
    "embedded": "upsert_failed",
}
"""What an item is in after the step that begins so far has failed."""

_SAID = ("source", "body", "reference_time")  # by every episode
_STORE = "STORE_"  # the codes of what is wrong with the store begin so


def _always() -> bool:
    return True


class Work:
    """Executes steps, in this thread, a few items of one group at a time.

    `owner` names the holder of the leases, which run out unless `kept_leases` renews them. A
    thread that works at the same time as another needs a work of its own, which `named` gives.
    """

    def __init__(
        self,
        extractor: Extractor,
        *,
        embedding: Embedding | None = None,
        policy: Policy | None = None,
        clock: Clock = system_clock,
        lease_seconds: float = LEASE_SECONDS,
        watcher: Watcher = unwatched,
        owner: str | None = None,
    ) -> None:
        self.extractor = extractor
        self.owner = owner or str(uuid4())
        self.lease_seconds = lease_seconds
        self._embedding = embedding or VectorsInAdvance()
        self._policy = policy or Policy()
        self._clock = clock
        self._watcher = watcher
        self._round: list[str] = []  # groups whose turn is still to come
        self.group: str | None = None  # where there are leases

    def named(self, owner: str) -> Work:
        """Return the same work under another owner."""
        other = copy(self)
        other.owner, other.group, other._round = owner, None, []
        return other

    def run_once(self, nexus: Nexus, may_go_on: Callable[[], bool] = _always) -> int:
        """Work on the next due items of any group until they rest; return how many do.

        Groups take turns. `may_go_on` is asked between steps: items that are left there are
        taken up where they stand.
        """
        is_new_round = False
        while self._round or not is_new_round:
            if not self._round:
                self._round = nexus.queue.due_groups(self.owner, self._clock())
                is_new_round = True
                continue
            group = nexus.group(self._round.pop(0))
            try:
                items = group.queue.claim(self.owner, self._clock(), self.lease_end(), _PORTION)
            except RecollectError as error:
                if error.code is not STORE_BUSY:
                    raise
                continue  # somebody writes there: it has its turn in the next round
            if items:
                self.group = group.group_name
                count = self._work_on(group, items, may_go_on)
                self.group = None
                return count
        return 0

    def drain(self, nexus: Nexus) -> int:
        """Work until nothing is due now, and return how many items were worked on."""
        count = 0
        while worked := self.run_once(nexus):
            count += worked
        return count

    def lease_end(self) -> Instant:
        """Return when a lease that begins or is renewed now runs out."""
        return Instant(self._clock() + int(self.lease_seconds * _MILLISECONDS))

    def _work_on(
        self, nexus: Nexus, items: Sequence[WorkItem], may_go_on: Callable[[], bool]
    ) -> int:
        """Take items from step to step until they rest, and return how many do.

        What a step does not come to is given back, as it stands.
        """
        episodes, count = _episodes(nexus, items), len(items)
        faults = {one.item: fault for one in items if (fault := _fault(one, episodes)) is not None}
        if faults:
            self._give_up(nexus, [one for one in items if one.item in faults], faults)
        waiting = deque(one for one in items if one.item not in faults)
        while waiting:
            settled = self._step(nexus, waiting, episodes) if may_go_on() else ()
            if waiting:
                nexus.queue.give_back(self.owner, waiting)
                count -= len(waiting)
            waiting = deque(one for one in settled if one.due_at == BEGINNING)
        return count

    def _step(
        self, nexus: Nexus, waiting: deque[WorkItem], episodes: Mapping[str, Episode]
    ) -> Sequence[WorkItem]:
        """Execute the step that items are at, and return them as they then are, durably.

        Those that it comes to no longer wait.
        """
        started, reached = time.perf_counter(), _REACHED.get(waiting[0].state)
        match reached:
            case "accepted":
                settled = self._settle(nexus, self._extract(nexus, waiting, episodes))
            case "extracted":
                settled = self._settle(nexus, self._embed(nexus, waiting))
            case "embedded":
                settled = self._upsert(nexus, waiting, episodes)
            case "upserted":
                settled = self._settle(nexus, _reached("completed", _taken(waiting)))
            case _:
                state = waiting[0].state
                raise INTERNAL_ERROR.error(f'nothing is to be done in "{state}"')
        seconds = (time.perf_counter() - started) / max(1, len(settled))
        for item in settled:
            self._watch(nexus, item, _FAILURES[reached] if item.attempts else None, seconds)
        return settled

    def _in_time(self, waiting: deque[WorkItem]) -> Iterator[WorkItem]:
        """Take one item after the other, at least one, as long as a step may take."""
        until = self._clock() + _PORTION_MILLISECONDS
        while waiting:
            yield waiting.popleft()
            if self._clock() >= until:
                return

    def _extract(
        self, nexus: Nexus, waiting: deque[WorkItem], episodes: Mapping[str, Episode]
    ) -> list[WorkItem]:
        """Ask the extractor about one episode after the other.

        One that asks for what those before it are about to tell waits until that is written.
        """
        done: list[WorkItem] = []
        for item in self._in_time(waiting):
            progress, known = Progress.of(item), GroupKnowledge(nexus, is_early=bool(done))
            found = self._asked(known, episodes[item.item], progress.rejected)
            if known.is_awaited:
                waiting.appendleft(item)
                break
            usage = progress.usage.plus(found.usage)
            match found:
                case Extracted(extraction=extraction):
                    told = Progress(extraction=extraction, usage=usage)
                    done.append(moved(item, "extracted", told, BEGINNING))
                case Refused(reason=reason, answer=answer, retry_seconds=seconds):
                    rejected = Rejected(reason, answer) if answer else progress.rejected
                    failed = Progress(rejected=rejected, usage=usage, error=reason)
                    done.append(self._failed(item, failed, seconds))
        return done

    def _asked(
        self, known: GroupKnowledge, episode: Episode, rejected: Rejected | None
    ) -> Extracted | Refused:
        """Return what the extractor found, checked whole, or that it failed, however it did."""
        usage = Usage()
        try:
            found = self.extractor.extract(episode, known, rejected)
            if isinstance(found, Refused):
                return found
            usage = found.usage
            return Extracted(checked_extraction(found.extraction), usage)
        except Exception as error:  # noqa: BLE001 - anybody's code: it fails, the thread lives on
            return Refused(_reason(error), usage=usage)

    def _embed(self, nexus: Nexus, waiting: deque[WorkItem]) -> list[WorkItem]:
        """Embed the texts of all items at once, or, if that fails, item by item."""
        if len(waiting) > 1 and self._fault_of_embedding(nexus, waiting) is None:
            return _reached("embedded", _taken(waiting))
        done: list[WorkItem] = []
        for item in self._in_time(waiting):
            fault = self._fault_of_embedding(nexus, [item])
            if fault is None:
                done.extend(_reached("embedded", [item]))
            else:
                done.append(self._failed(item, Progress.of(item).failing(fault)))
        return done

    def _fault_of_embedding(self, nexus: Nexus, items: Collection[WorkItem]) -> str | None:
        """Embed what items tell, and return why that failed, if it did."""
        told = [Progress.of(one).extraction for one in items]
        try:
            if self._embedding.is_needed(nexus):
                self._embedding.prepare(nexus, [one for one in told if one is not None])
        except Exception as error:  # noqa: BLE001 - anybody's code, as above
            return _reason(error)
        return None

    def _upsert(
        self, nexus: Nexus, waiting: deque[WorkItem], episodes: Mapping[str, Episode]
    ) -> Sequence[WorkItem]:
        """Write what items tell, each whole or not at all, in one transaction with their states."""
        with nexus.transaction():
            held = nexus.queue.held(self.owner, waiting)
            done = [
                self._written(nexus, item, episodes[item.item])
                for item in self._in_time(waiting)
                if item.item in held
            ]
            return self._settle(nexus, done)

    def _written(self, nexus: Nexus, item: WorkItem, episode: Episode) -> WorkItem:
        progress, told = Progress.of(item), tuple[str, ...]()
        try:
            if progress.extraction is not None:
                told = write_extraction(nexus, self._policy, episode, progress.extraction)
        except Exception as error:  # noqa: BLE001 - an embedder may be asked here too, as above
            return self._failed(item, progress.failing(_reason(error)))
        return moved(item, "upserted", Progress(usage=progress.usage, warnings=told), BEGINNING)

    def _failed(self, item: WorkItem, progress: Progress, seconds: float = 0.0) -> WorkItem:
        """Let an item wait for its next attempt, or park it after the last."""
        attempts = item.attempts + 1
        if attempts > limits.RETRIES:
            return moved(item, "parked", progress, FOREVER, attempts)
        wait = max(limits.BACKOFF_SECONDS[attempts - 1], min(seconds, _MOST_RETRY_SECONDS))
        due_at = Instant(self._clock() + int(wait * _MILLISECONDS))
        return moved(item, _FAILURES[_REACHED[item.state]], progress, due_at, attempts)

    def _give_up(self, nexus: Nexus, items: Sequence[WorkItem], faults: Mapping[str, str]) -> None:
        """Park items that no further attempt can help."""
        parked = [
            moved(one, "parked", Progress.of(one).failing(faults[one.item]), FOREVER)
            for one in items
        ]
        for item in self._settle(nexus, parked):
            self._watch(nexus, item, None, 0.0)

    def _settle(self, nexus: Nexus, items: Sequence[WorkItem]) -> Sequence[WorkItem]:
        return nexus.queue.settle(self.owner, items, self.lease_end())

    def _watch(self, nexus: Nexus, item: WorkItem, failed: State | None, seconds: float) -> None:
        self._watcher(
            Transition(
                group=nexus.group_name,
                episode_uuid=item.item,
                state=cast(State, item.state),
                failed=failed,
                attempts=item.attempts,
                error=Progress.of(item).error,
                seconds=seconds,
            )
        )


def _fault(item: WorkItem, episodes: Mapping[str, Episode]) -> str | None:
    """Return why nothing can be done about an item, if so; whoever changed a dump can cause it."""
    if item.item not in episodes:  # one that was purged took its item with it
        return "the episode is deleted, or cannot be read"
    match _REACHED.get(item.state):
        case None:
            return f'nothing is to be done in the state "{item.state}"'
        case "extracted" | "embedded" if Progress.of(item).extraction is None:
            return "what was found in the episode cannot be read"
        case _:
            return None


def _taken(waiting: deque[WorkItem]) -> list[WorkItem]:
    """Take all that wait, and return them."""
    taken = [*waiting]
    waiting.clear()
    return taken


def _reached(state: State, items: Iterable[WorkItem]) -> list[WorkItem]:
    """Return items that have reached a state; they rest in the last."""
    due_at = FOREVER if state == "completed" else BEGINNING
    return [moved(one, state, Progress.of(one).failing(None), due_at) for one in items]


def _episodes(nexus: Nexus, items: Iterable[WorkItem]) -> dict[str, Episode]:
    """Return the episodes of items by uuid, except those deleted or unreadable."""
    found = nexus.elements.look_up([one.item for one in items])
    return {
        uuid: _episode(shown_episode(nexus.group_name, dated))
        for uuid, dated in found.items()
        if is_episode(dated.element) and _can_be_read(dated.element)
    }


def _can_be_read(episode: Concept) -> bool:
    """Whether an episode says what every episode says; others than the operations write them."""
    return all(isinstance(episode.attributes.get(one), str) for one in _SAID)


def _episode(said: ShownEpisode) -> Episode:
    return Episode(
        uuid=said["uuid"],
        source=said["source"],
        body=said["body"],
        reference_time=said["reference_time"],
        name=said["name"],
        source_description=said["source_description"],
    )


def _reason(error: Exception) -> str:
    """Return why a step failed; a fault of the store is not counted against the item."""
    if not isinstance(error, RecollectError):
        return f"{type(error).__name__}: {error}"
    if error.code.code.startswith(_STORE):
        raise error
    return f"{error.message}; {error.hint}" if error.hint else error.message
