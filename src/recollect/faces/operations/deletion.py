"""Deletions: what is deleted is gone at every point in time, and deleting nothing is allowed.

Specification 004, sections 2.5 and 4.4.
"""

from __future__ import annotations

from recollect.errors import NOT_FOUND, RecollectError
from recollect.faces.operations.context import Context
from recollect.faces.operations.inputs import DeleteGroup, DeleteInput, Empty
from recollect.faces.operations.outputs import Done
from recollect.faces.operations.records import is_episode, is_fact
from recollect.kernel import Nexus


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
        nexus.purge(uuid, request_id=context.request_id)
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
