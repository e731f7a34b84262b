"""Hints of the library in the words of a person at a page: what to press and where to look."""

from __future__ import annotations

from typing import assert_never

from recollect.errors import Hint, ToDo


def own_hint(hint: str) -> str:
    """Return a hint that can be followed on a page.

    >>> from recollect.errors import ask_at
    >>> own_hint(ask_at(2)), own_hint("write a }")
    ('write #2 into “Known at”', 'write a }')
    """
    if not isinstance(hint, Hint):
        return hint
    match hint.todo:
        case ToDo.GIVE_PARAMETER:
            return f"fill in {hint.on[0]} below"
        case ToDo.ASK_ABOUT_NOW:
            return "empty the field “True at”"
        case ToDo.ASK_AT_TRANSACTION:
            return f"write #{hint.on[0]} into “Known at”"
        case ToDo.WRITE:
            return "write it at Ask, which shows what it would do"
        case ToDo.SEARCH:
            return "search for it at Ask"
        case ToDo.LIST_GROUPS:
            return "choose one of the groups above"
        case ToDo.SEE_TRANSACTION:
            return f"compare #{int(hint.on[0]) - 1} with #{hint.on[0]} at Compare"
        case ToDo.MOVE_CLAIM:
            return f"it may become {' or '.join(hint.on)}"
        case ToDo.NAME_BY_KEY:
            return "choose it by its type and name"
        case ToDo.MEND_OR_SKIP:
            return "mend it, or choose “leave out what cannot be read”"
        case ToDo.DECLARE_OR_FORCE:
            return "look at Schema in Care, and declare or mend what is there"
        case ToDo.LIST_CLAIMS:
            return "find it at Claims"
        case ToDo.LIST_ATTENTION:
            return "look at the queue at Claims"
        case ToDo.PASS_NUMBER:
            return f"use {hint.on[1]} for {hint.on[0]}"
        case ToDo.NAME_LATER:
            return "name a later day"
        case _:
            assert_never(hint.todo)
