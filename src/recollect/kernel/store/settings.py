"""How a store is to be opened."""

from __future__ import annotations

from typing import Final, Literal, get_args

from recollect.errors import refused
from recollect.model import NO_KINDS, Kinds
from recollect.node import dataclass

_LONGEST_WAIT = 86_400  # seconds

COMPARE_EVERY: Final = 1_000
"""One in so many elements that are read is compared with its digest: under 2% of any read."""

Synchronous = Literal["full", "normal"]
"""When a commit is safe: at once, or soon, so that a power cut may lose the last ones."""


@dataclass(frozen=True, slots=True)
class StoreSettings:
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
            raise refused(
                f'synchronous is {self.synchronous!r}, not "full" or "normal"',
                'pass synchronous="full"',
                known=get_args(Synchronous),
            )
        is_number = isinstance(self.busy_seconds, int | float)
        if not is_number or not 0 <= self.busy_seconds <= _LONGEST_WAIT:
            raise refused(
                f"busy_seconds is {self.busy_seconds!r}, outside 0 to {_LONGEST_WAIT}",
                "pass busy_seconds=5",
            )
        if type(self.compare_every) is not int or self.compare_every < 0:
            raise refused(
                f"compare_every is {self.compare_every!r}, not a whole number from 0",
                "pass compare_every=1 for all elements, 100 for one in a hundred, 0 for none",
            )
