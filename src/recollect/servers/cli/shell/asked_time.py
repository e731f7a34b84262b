r"""The time a conversation reads, set with `\asof`: one instant on each clock, or now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from recollect.errors import INVALID_ARGUMENT, INVALID_SYNTAX, RecollectError
from recollect.faces.kip.as_of import read_as_of
from recollect.node import dataclass, field

_MOST_DIGITS: Final = 19
"""Of a number of a transaction; Python refuses to read one of some thousands."""

CLOCKS: Mapping[str, str] = {"known": "known", "transaction": "known", "valid": "valid"}
"""The words for a clock, and the member of `as_of` that each of them sets."""


@dataclass(frozen=True, slots=True)
class AskedTime:
    """What was asked for, in the words it was asked in."""

    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def wire(self) -> dict[str, str | int] | None:
        """What a request's `as_of` is; None for now."""
        members: dict[str, str | int] = {}
        for clock, when in self.words.items():
            members[CLOCKS[clock]] = int(when) if clock == "transaction" else when
        return members or None

    def moved(self, words: Sequence[str]) -> AskedTime:
        r"""Return the time after `\asof` with these words; INVALID_ARGUMENT if they name none.

        >>> str(AskedTime().moved(["valid", "2024"]).moved(["transaction", "12"]))
        'valid 2024, transaction 12'
        """
        match words:
            case []:
                return self
            case ["off"]:
                return AskedTime()
            case [clock, when] if clock in CLOCKS and (clock != "transaction" or _is_number(when)):
                kept = {
                    name: said for name, said in self.words.items() if CLOCKS[name] != CLOCKS[clock]
                }
                time = AskedTime({**kept, clock: when})
                read_as_of(time.wire)  # refuses what is not an instant
                return time
            case _:
                raise RecollectError(
                    INVALID_ARGUMENT,
                    f"\\asof {' '.join(words)} names no time",
                    hint="write \\asof known 2026-01-31, \\asof transaction 12, \\asof valid 2024"
                    " or \\asof off",
                )

    def unchangeable(self) -> RecollectError:
        """Return the error for a text that writes while another time is read."""
        return RecollectError(
            INVALID_SYNTAX,
            f"a text cannot write while \\asof is {self}",
            hint="write \\asof off first",
        )

    def __str__(self) -> str:
        return ", ".join(f"{clock} {when}" for clock, when in self.words.items())


def _is_number(when: str) -> bool:
    return when.isdecimal() and len(when) <= _MOST_DIGITS
