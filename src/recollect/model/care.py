"""Keeping: copies and checks of a memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.model.elements import Attributes, Concept, Link
from recollect.node import dataclass, field


@dataclass(frozen=True, slots=True)
class ConceptRecord:
    """A concept with all that it takes to make an equal one in another memory."""

    concept: Concept
    given_id: bool  # whether its id was given by a caller; else it is the memory's own
    inherited: frozenset[str] = frozenset()  # keys of the metadata that set no fact time
    earlier: Attributes = field(default_factory=dict)  # metadata that sets fact time, set before


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A link with its ends, and all that it takes to make an equal one in another memory."""

    link: Link
    subject: Record
    object: Record
    place: int  # in the order of birth; its ends have lower ones
    is_keyed: bool  # whether it, or a link that it stands on, has a key, which KIP cannot say
    key: str = ""
    earlier: Attributes = field(default_factory=dict)  # metadata that sets fact time, set before


Record = ConceptRecord | LinkRecord


_FROM_CONTENTS: Final = frozenset({"text", "vectors", "indexes", "keys"})
UNREADABLE: Final[Mapping[str, frozenset[str]]] = {
    "tables": frozenset({"file"}),
    "contents": _FROM_CONTENTS,
    "terms": _FROM_CONTENTS | {"counts"},
}
"""The findings in whose way others are mended: these are not made anew while those stand."""

_MENDED: Final = _FROM_CONTENTS | {"counts", "queue", "file", "erasure"}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it must be."""

    check: str  # a stable word: "counts"
    message: str
    group: str | None = None  # None: the store as a whole
    is_mended: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the doctor looked at and found."""

    groups: int
    elements: int  # living and closed, of all groups
    findings: tuple[Finding, ...]
    is_optimised: bool

    counting: tuple[str, ...] = field(default=(), repr=False)
    """Groups made before ids were permuted: theirs tell how many elements others write."""

    engine: tuple[str, ...] = field(default=(), repr=False)
    """What to know of a server: its version, what is unsafe in its settings, who is open for long.
    """

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong, or nothing any more."""
        return all(finding.is_mended for finding in self.findings)

    @property
    def is_mendable(self) -> bool:
        """Whether `fix` may mend some of it; to all else the answer is a backup."""
        checks = {finding.check for finding in self.findings if not finding.is_mended}
        blocked = (UNREADABLE.get(check, frozenset()) for check in checks)
        return bool((checks & _MENDED).difference(*blocked))
