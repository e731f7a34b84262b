"""Who calls: which groups a caller may see, and whether it may clear all of them.

The rule: a group that a caller may not see is refused before anything is looked up.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import PERMISSION_DENIED, RecollectError
from recollect.node import dataclass


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
                raise RecollectError(
                    PERMISSION_DENIED,
                    f'the group "{group}" is not open to this caller',
                    hint="name a group of your own, or ask for a token that has this one",
                )

    def acting_as(self, said: str | None) -> str | None:
        """Return who acts; PERMISSION_DENIED for a caller with a name who says another."""
        if self.name is None or said is None or said == self.name:
            return self.name or said
        raise RecollectError(
            PERMISSION_DENIED,
            "the token belongs to somebody other than the actor",
            hint="leave out actor",
        )

    def check_admin(self) -> None:
        """Raise PERMISSION_DENIED for a caller that may not clear every group."""
        if not self.is_admin:
            raise RecollectError(
                PERMISSION_DENIED,
                "only an administrator clears all groups",
                hint="delete your own groups with DeleteGroup",
            )

    def seen(self, groups: Iterable[str]) -> list[str]:
        """Return those of the groups that the caller may see."""
        return [one for one in groups if self.groups is None or one in self.groups]


EVERYONE = Caller()
"""The caller of a memory in its own process."""
