"""Hints of the library in the words of a person at a page: what to press and where to look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.errors import Hint, ToDo

WORDS: Final[Mapping[ToDo, str]] = {
    ToDo.GIVE_PARAMETER: "fill in {0} below",
    ToDo.ASK_ABOUT_NOW: "empty the field “True at”",
    ToDo.ASK_AT_TRANSACTION: "write #{0} into “Known at”",
    ToDo.WRITE: "write it at Ask, which shows what it would do",
    ToDo.SEARCH: "search for it at Ask",
    ToDo.LIST_GROUPS: "choose one of the groups above",
    ToDo.SEE_TRANSACTION: "look at transaction #{0} at Compare",
    ToDo.MOVE_CLAIM: "it may become {0}",
    ToDo.NAME_BY_KEY: "choose it by its type and name",
    ToDo.MEND_OR_SKIP: "mend it, or choose “leave out what cannot be read”",
    ToDo.DECLARE_OR_FORCE: "look at Schema in Care, and declare or mend what is there",
    ToDo.LIST_CLAIMS: "find it at Claims",
    ToDo.LIST_ATTENTION: "look at the queue at Claims",
    ToDo.PASS_NUMBER: "use {1} for {0}",
    ToDo.NAME_LATER: "name a later day",
}
"""What a hint says here; {0} is the first of what it is about."""


def own_hint(hint: str) -> str:
    """Return a hint that can be followed on a page.

    >>> from recollect.errors import ask_at
    >>> own_hint(ask_at(2)), own_hint("write a }")
    ('write #2 into “Known at”', 'write a }')
    """
    return WORDS[hint.todo].format(*hint.on) if isinstance(hint, Hint) else hint
