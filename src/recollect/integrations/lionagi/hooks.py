"""The reactive hook of specification 002: knowledge from messages as they come."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from typing import TypeVar

import lionagi
from lionagi.protocols.messages import RoledMessage

from recollect.errors import refused

BranchT = TypeVar("BranchT", bound=lionagi.Branch)


def on_message(
    branch: BranchT, hook: Callable[[BranchT, RoledMessage], Awaitable[object] | object]
) -> Callable[[], None]:
    """Call a hook with the branch and each message added to it; return what ends that.

    An async hook is awaited before the turn goes on, and what it raises ends the turn. lionagi
    refuses `branch.msgs.add_message` on a branch with an async hook; `a_add_message` is for it.
    A hook that returns a coroutine without being async, as a lambda may, ends the turn with
    INVALID_ARGUMENT: lionagi awaits only what it knows to be async before it calls it.
    """

    async def awaited(message: RoledMessage) -> None:
        result = hook(branch, message)
        assert isawaitable(result)
        await result

    def called(message: RoledMessage) -> None:
        result = hook(branch, message)
        if isinstance(result, Coroutine):  # which nothing would run; a task runs by itself
            result.close()
            raise refused(
                "the hook returns a coroutine but is not an async function",
                "pass async def hook(branch, message): await ...",
            )

    told = awaited if _is_async(hook) else called
    branch.on_message_added.append(told)

    def stop() -> None:
        if told in branch.on_message_added:
            branch.on_message_added.remove(told)

    return stop


def _is_async(hook: object) -> bool:
    """Whether a hook is an async function or method, part of one, or an object called like one."""
    while isinstance(hook, partial):
        hook = hook.func
    is_called_so = callable(hook) and iscoroutinefunction(type(hook).__call__)
    return iscoroutinefunction(hook) or is_called_so
