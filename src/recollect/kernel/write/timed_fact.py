"""When a fact is true, as the rule of facts sees it, and what a change must say to tell one.

The rule: what nobody told of its beginning is a guess, which the metadata does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import INVALID_IDENTIFIER, INVALID_VALUE
from recollect.kernel.read.moment import parse_instant
from recollect.kernel.write.element import VALID_FROM, ElementContent
from recollect.kernel.write.validation import members
from recollect.model import (
    BEGINNING,
    FACT,
    LONGEST_FACT_KEY,
    OBSERVED_AT,
    Attributes,
    Instant,
    PutFact,
    normal_text,
)
from recollect.node import dataclass

PARTS = "\n"  # between the parts of a link's key: what is compared, since when, a number


@dataclass(frozen=True, slots=True)
class TimedFact:
    """A fact as the rule sees it."""

    id: str | None  # if the caller gave one
    number: int  # in the order of birth
    says: str | None  # normal, to be compared; None: what was said before
    valid_at: Instant
    invalid_at: Instant
    told_at: Instant | None  # when it is told to begin, or was told; None: neither is known
    is_guessed: bool  # whether nobody told when it began, and others that ended then say so
    is_new: bool  # put by this transaction
    is_told: bool  # told by this transaction, perhaps once more

    def overlaps(self, other: TimedFact) -> bool:
        """Whether there is an instant at which both are true."""
        return max(self.valid_at, other.valid_at) < min(self.invalid_at, other.invalid_at)

    def is_newer_than(self, other: TimedFact) -> bool:
        """Whether this one, put last, stands and not the other."""
        if self.told_at is not None and other.told_at is not None and self.told_at != other.told_at:
            return self.told_at > other.told_at
        return not other.is_new or self.stands_before(other)

    def stands_before(self, other: TimedFact) -> bool:
        """Whether of two that no time tells apart, told together, this one stands.

        The lower of given ids, which stand before those that were computed: those say nothing, so
        that of two without an id the one that was told last stands.
        """
        if self.id is None or other.id is None:
            return self.id is not None or (other.id is None and self.number > other.number)
        return self.id < other.id

    def end_before(self, newer: Instant) -> Instant:
        """Return where this one ends when another begins at `newer`."""
        return min(self.invalid_at, max(self.valid_at, newer))

    def begins(self, now: Instant) -> Instant:
        """Return when this one begins among those of other objects.

        What does not say is true as it is told, and what was told before was true before; what
        is over when it is told began some time before its end.
        """
        if self.told_at is not None:
            return self.told_at
        return now if self.is_told and self.invalid_at > now else BEGINNING


def fact_to_put(
    change: PutFact, metadata: Attributes, valid_at: Instant, invalid_at: Instant
) -> TimedFact:
    """Return a fact as a change tells it, which has no link yet."""
    return TimedFact(
        id=change.id,
        number=0,
        says=None if change.text is None else normal_text(change.text),
        valid_at=valid_at,
        invalid_at=invalid_at,
        told_at=known_since(valid_at, metadata),
        is_guessed=False,
        is_new=True,
        is_told=True,
    )


def is_guess(content: ElementContent) -> bool:
    """Whether nobody told the beginning that a fact has."""
    return content.valid_at != BEGINNING and VALID_FROM not in content.metadata


def known_since(valid_at: Instant, metadata: Attributes) -> Instant | None:
    if valid_at != BEGINNING and VALID_FROM in metadata:
        return valid_at
    observed = metadata.get(OBSERVED_AT)
    return parse_instant(observed) if isinstance(observed, str) else None


def guessed_since(
    begins: Instant, others: Iterable[TimedFact], same: Iterable[TimedFact], *, counts_all: bool
) -> Instant:
    """Return since when a fact may be true that does not say it, told to hold at an instant.

    That is where the last of those of other objects ended whose beginning is known, or ends then;
    and no earlier than the same was told to begin, or ended, where `counts_all`. BEGINNING where
    there was no other.
    """
    over = [min(one.invalid_at, begins) for one in others if BEGINNING < one.valid_at < begins]
    told = [one for one in same if one.valid_at <= begins]
    held = [one.valid_at for one in told if begins < one.invalid_at]
    if counts_all:
        known = (one for one in told if one.valid_at > BEGINNING)
        held += [one.invalid_at for one in known if one.invalid_at <= begins]
    return max([*over, *held]) if over else BEGINNING


def check_fact(change: PutFact) -> tuple[Attributes, Attributes]:
    """Return the attributes, the text among them, and the metadata of a fact."""
    text: object = change.text
    if text is not None and (not isinstance(text, str) or not text.strip()):
        problem = "empty" if isinstance(text, str) else "not a string"
        raise INVALID_VALUE.error(f"the text of the fact is {problem}", "say what the fact states")
    says = {} if text is None else members({FACT: text}, "attributes")
    attributes = {**members(change.attributes, "attributes"), **says}
    if len(change.key) > LONGEST_FACT_KEY:
        raise INVALID_IDENTIFIER.error(
            f"the key of the fact is longer than {LONGEST_FACT_KEY} characters", "pass a hash of it"
        )
    if PARTS in change.key:
        raise INVALID_VALUE.error("the key of the fact holds a line break", "write it on one line")
    return attributes, members(change.metadata, "metadata")
