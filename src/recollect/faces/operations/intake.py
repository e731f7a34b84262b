"""Episodes and messages: how they are accepted, how far they are learnt, what is kept.

Specification 004, sections 4.2, 4.3.3 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.operations import inputs
from recollect.faces.operations.context import Context, asked_moment
from recollect.faces.operations.episodes import EpisodeDraft, newest_episodes
from recollect.faces.operations.outputs import (
    Accepted,
    AcceptedMessages,
    Episodes,
    Item,
    ItemList,
    ReceiptState,
    Retried,
    Status,
)
from recollect.faces.operations.records import episode


def add_episodes(context: Context, given: inputs.AddEpisodes) -> Accepted:
    """Take episodes in, all or none."""
    nexus = context.group(given["group_id"])
    drafts = [EpisodeDraft.of_item(nexus.group_name, one) for one in given["items"]]
    receipt = context.ingestion.accept(nexus, drafts, request_id=context.request_id)
    return Accepted(receipt_id=receipt, accepted=len(drafts))


def add_messages(context: Context, given: inputs.AddMessages) -> AcceptedMessages:
    """Take messages in, each as an episode, all or none."""
    nexus = context.group(given["group_id"])
    drafts = [EpisodeDraft.of_message(nexus.group_name, one) for one in given["messages"]]
    receipt = context.ingestion.accept(nexus, drafts, request_id=context.request_id)
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
        raise RecollectError(RESOURCE_NOT_FOUND, f'no receipt has the id "{receipt}"')
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
