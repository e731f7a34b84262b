"""Every operation by its name: what it takes, what it answers, and what runs it.

The rule: this is the only list of operations; faces, servers and clients use it. Episodes and
messages are accepted all or none, and then learnt from; what is deleted is gone at every point in
time, and deleting nothing is allowed. Specification 004, sections 2.5, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, get_args, get_type_hints

from pydantic import TypeAdapter

from recollect.errors import NOT_FOUND, RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.operations import facts, inputs, outputs, search
from recollect.faces.operations.context import Context, asked_moment
from recollect.faces.operations.episodes import EpisodeDraft, newest_episodes
from recollect.faces.operations.inputs import DeleteGroup, DeleteInput, Empty
from recollect.faces.operations.outputs import (
    Accepted,
    AcceptedMessages,
    Answered,
    Done,
    Episodes,
    Item,
    ItemList,
    ReceiptState,
    Retried,
    Status,
)
from recollect.faces.operations.records import episode, is_episode, is_fact
from recollect.kernel import Nexus
from recollect.node import dataclass


def delete_entity_edge(context: Context, given: DeleteInput) -> Done:
    """Erase a fact."""
    found = context.holder(given["uuid"], given.get("group_id"), is_fact)
    if found is None:
        return _done("there is no such fact")
    is_erased = _erase(context, found[0], given["uuid"])
    return _done("the fact is deleted" if is_erased else "there is no such fact")


def delete_episode(context: Context, given: DeleteInput) -> Done:
    """Erase an episode, and nothing that was learnt from it."""
    found = context.holder(given["uuid"], given.get("group_id"), is_episode)
    if found is None:
        return _done("there is no such episode")
    nexus, _ = found
    is_erased = _erase(context, nexus, given["uuid"])
    return _done("the episode is deleted" if is_erased else "there is no such episode")


def delete_group(context: Context, given: DeleteGroup) -> Done:
    """Erase a group: episodes, facts, nodes, and all that waits for it."""
    is_dropped = _drop(context.group(given["group_id"]))
    return _done("the group is deleted" if is_dropped else "there is no such group")


def clear_all(context: Context, given: Empty) -> Done:
    """Erase every group, those too that the administrator may not read."""
    del given
    context.caller.check_admin()
    names = context.nexus.groups(every=True)
    for name in names:
        _drop(context.nexus.group(name))
    return _done("1 group is deleted" if len(names) == 1 else f"{len(names)} groups are deleted")


def _erase(context: Context, nexus: Nexus, uuid: str) -> bool:
    """Erase an element; whether it was still there, since another call may have been first."""
    try:
        nexus.purge(uuid, actor=context.caller.name, request_id=context.request_id)
    except RecollectError as error:
        if error.code is not NOT_FOUND:
            raise
        return False
    return True


def _drop(nexus: Nexus) -> bool:
    try:
        nexus.drop_group(nexus.group_name)
    except RecollectError as error:
        if error.code is not NOT_FOUND:
            raise
        return False
    return True


def _done(message: str) -> Done:
    return Done(message=message, success=True)


def _accepted(context: Context, nexus: Nexus, drafts: Sequence[EpisodeDraft]) -> str:
    who, request_id = context.caller.name, context.request_id
    return context.ingestion.accept(nexus, drafts, request_id=request_id, actor=who)


def add_episodes(context: Context, given: inputs.AddEpisodes) -> Accepted:
    """Take episodes in, all or none."""
    nexus = context.group(given["group_id"])
    drafts = [EpisodeDraft.of_item(nexus.group_name, one) for one in given["items"]]
    receipt = _accepted(context, nexus, drafts)
    return Accepted(receipt_id=receipt, accepted=len(drafts))


def add_messages(context: Context, given: inputs.AddMessages) -> AcceptedMessages:
    """Take messages in, each as an episode, all or none."""
    nexus = context.group(given["group_id"])
    drafts = [EpisodeDraft.of_message(nexus.group_name, one) for one in given["messages"]]
    receipt = _accepted(context, nexus, drafts)
    counted = "1 message is" if len(drafts) == 1 else f"{len(drafts)} messages are"
    return AcceptedMessages(message=f"{counted} accepted", receipt_id=receipt, accepted=len(drafts))


def get_episodes(context: Context, given: inputs.GetEpisodes) -> Episodes:
    """Return the newest episodes, oldest first."""
    nexus = context.group(given["group_id"])
    found = newest_episodes(nexus, given["last_n"], asked_moment(given))
    return Episodes(episodes=[episode(nexus.group_name, one) for one in found])


def get_receipt(context: Context, given: inputs.ReceiptInput) -> tuple[Status, ReceiptState]:
    """Return where the items of a receipt stand; NOT_FOUND for one that was never given."""
    nexus, receipt = context.group(given["group_id"]), given["receipt_id"]
    progressed = context.ingestion.receipt(nexus, receipt)
    if progressed is None:
        raise RESOURCE_NOT_FOUND.error(f'no receipt has the id "{receipt}"')
    items = progressed.items
    return status_of(items), ReceiptState(receipt_id=receipt, items=list(items))


def status_of(items: Sequence[Item]) -> Status:
    """Return ACCEPTED while any item runs, then PARKED if one is parked, else OK."""
    states = {item["state"] for item in items}
    if states - {"completed", "parked"}:
        return "ACCEPTED"
    return "PARKED" if "parked" in states else "OK"


def list_parked(context: Context, given: inputs.ListParked) -> ItemList:
    """Return the items that were given up after all retries."""
    parked = context.ingestion.parked(context.group(given["group_id"]))
    return ItemList(items=list(parked))


def retry_parked(context: Context, given: inputs.RetryParked) -> Retried:
    """Let parked items be tried again."""
    nexus = context.group(given["group_id"])
    return Retried(retried=context.ingestion.retry(nexus, given.get("episode_uuids")))


@dataclass(frozen=True, slots=True)
class ServiceOperation:
    """One operation; `method` is its name in Python."""

    name: str
    method: str
    summary: str
    input: type
    output: type
    adapter: TypeAdapter[object]
    run: Callable[[Context, Any], Answered]
    is_write: bool
    example: Mapping[str, object]


def healthcheck(context: Context, given: inputs.Empty) -> outputs.Health:
    """Answer that the service is there: the store can be read."""
    del given
    context.nexus.groups()
    return outputs.Health(status="healthy")


def _operation(
    run: Callable[[Context, Any], Any],
    example: Mapping[str, object],
    *,
    is_write: bool = False,
    status: Status | None = "OK",
) -> ServiceOperation:
    """Return the operation of a function; without a status it answers with one itself."""

    def answered(context: Context, given: Any) -> Answered:  # noqa: ANN401 - as the function has it
        if status is None:
            return cast(Answered, run(context, given))
        return status, run(context, given)

    method, hints = run.__name__, get_type_hints(run, include_extras=True)
    output = hints["return"] if status is not None else get_args(hints["return"])[1]
    return ServiceOperation(
        name="".join(word.capitalize() for word in method.split("_")),
        method=method,
        summary=(run.__doc__ or "").split("\n")[0].strip(),
        input=hints["given"],
        output=output,
        adapter=TypeAdapter(hints["given"]),
        run=answered,
        is_write=is_write,
        example=example,
    )


_TIME = "2026-01-31T09:30:00Z"
_MESSAGE = {"role_type": "user", "role": "Ann", "content": "I work at Acme.", "timestamp": _TIME}
_FACT = {
    "name": "WORKS_AT",
    "fact": "Ann works at Acme",
    "source_node_uuid": "ann",
    "target_node_uuid": "acme",
    "valid_at": "2021-01-01T00:00:00Z",
}
_QUESTION = {"group_ids": ["team"], "query": "Where does Ann work?", "max_facts": 5}

_ALL = (
    _operation(healthcheck, {}),
    _operation(
        add_messages, {"group_id": "team", "messages": [_MESSAGE]}, is_write=True, status="ACCEPTED"
    ),
    _operation(
        add_episodes,
        {
            "group_id": "team",
            "items": [{"source": "text", "body": "Ann works at Acme.", "reference_time": _TIME}],
        },
        is_write=True,
        status="ACCEPTED",
    ),
    _operation(get_receipt, {"group_id": "team", "receipt_id": "r1"}, status=None),
    _operation(list_parked, {"group_id": "team"}),
    _operation(retry_parked, {"group_id": "team"}, is_write=True),
    _operation(
        facts.add_entity_node,
        {"group_id": "team", "uuid": "ann", "name": "Ann", "summary": "An engineer"},
        is_write=True,
    ),
    _operation(facts.add_fact, {"group_id": "team", **_FACT}, is_write=True),
    _operation(facts.add_facts, {"group_id": "team", "facts": [_FACT]}, is_write=True),
    _operation(search.search_facts, _QUESTION),
    _operation(search.search_nodes, {"group_ids": ["team"], "query": "engineer"}),
    _operation(facts.get_entity_edge, {"uuid": "f1", "group_id": "team"}),
    _operation(get_episodes, {"group_id": "team", "last_n": 5}),
    _operation(search.get_memory, {"group_id": "team", "messages": [_MESSAGE]}),
    _operation(delete_entity_edge, {"uuid": "f1", "group_id": "team"}),
    _operation(delete_episode, {"uuid": "e1", "group_id": "team"}),
    _operation(delete_group, {"group_id": "team"}),
    _operation(clear_all, {}),
)

OPERATIONS: Mapping[str, ServiceOperation] = {one.name: one for one in _ALL}
"""The operations by name."""
