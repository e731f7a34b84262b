"""The reactive hook of specification 002: knowledge from messages as they come."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import lionagi
from lionagi.ln.concurrency import is_coro_func
from lionagi.protocols.messages import RoledMessage

BranchT = TypeVar("BranchT", bound=lionagi.Branch)


def on_message(
    branch: BranchT, hook: Callable[[BranchT, RoledMessage], Awaitable[object] | object]
) -> Callable[[], None]:
    """Call a hook with the branch and each message added to it; return what ends that.

    An async hook is awaited before the turn goes on, and what it raises ends the turn. lionagi
    refuses `branch.msgs.add_message` on a branch with an async hook; `a_add_message` is for it.
    """

    async def awaited(message: RoledMessage) -> None:
        result = hook(branch, message)
        assert isinstance(result, Awaitable)
        await result

    def called(message: RoledMessage) -> None:
        hook(branch, message)

    told = awaited if is_coro_func(hook) else called
    branch.on_message_added.append(told)

    def stop() -> None:
        if told in branch.on_message_added:
            branch.on_message_added.remove(told)

    return stop
