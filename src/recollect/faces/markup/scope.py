"""What a change may touch: what a request showed, and what is made below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Scope:
    """What an exchange allows its answer; without one a change may touch the whole group."""

    shown: frozenset[str]  # ids whose nodes and spaces may be changed, and created below
    shortened: frozenset[str] = frozenset()  # whose Content was not shown whole
    mapped: Mapping[str, str] = field(default_factory=dict)  # permanent ids by temporary ones
