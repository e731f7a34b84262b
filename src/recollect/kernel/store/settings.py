"""How a store is to be opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.store.sampling import COMPARE_EVERY
from recollect.model import NO_KINDS, Kinds

_LONGEST_WAIT = 86_400  # seconds

Synchronous = Literal["full", "normal"]
"""When a commit is safe: at once, or soon, so that a power cut may lose the last ones."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a store treats its file; INVALID_ARGUMENT for a value it cannot mean."""

    synchronous: Synchronous = "full"
    busy_seconds: float = 5.0  # how long to wait for another writer
    is_checked: bool = True  # a small file with a broken page is not opened
    compare_every: int = COMPARE_EVERY  # of elements that are read; 1: all, 0: none
    kinds: Kinds = NO_KINDS  # what is special about the types of concepts
    cache_bytes: int = 32 * 2**20  # for each connection; a file's writer has at most 2 MB
    connections: int = 16  # at most, of one process to a server

    def __post_init__(self) -> None:
        if self.synchronous not in get_args(Synchronous):
            raise RecollectError(
                INVALID_ARGUMENT,
                f'synchronous is {self.synchronous!r}, not "full" or "normal"',
                hint='pass synchronous="full"',
                known=get_args(Synchronous),
            )
        is_number = isinstance(self.busy_seconds, int | float)
        if not is_number or not 0 <= self.busy_seconds <= _LONGEST_WAIT:
            raise RecollectError(
                INVALID_ARGUMENT,
                f"busy_seconds is {self.busy_seconds!r}, outside 0 to {_LONGEST_WAIT}",
                hint="pass busy_seconds=5",
            )
        if type(self.compare_every) is not int or self.compare_every < 0:
            raise RecollectError(
                INVALID_ARGUMENT,
                f"compare_every is {self.compare_every!r}, not a whole number from 0",
                hint="pass compare_every=1 for all elements, 100 for one in a hundred, 0 for none",
            )
