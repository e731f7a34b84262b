"""Who the agent is: what the Person `$self` says of itself, and whom it serves.

The rule: role, objectives and capabilities are attributes like any others, written in KIP, with a
past, and `serves` leads from it to people as any link does; DESCRIBE PRIMER shows them first.
KIP 1.0-draft3, META; KIP 1.0-RC11, appendix 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.kernel import Nexus
from recollect.model import Description, Value
from recollect.node import dataclass

_READ = "DESCRIBE PRIMER"
_PARTS = ("role", "objectives", "capabilities", "serves")
_WRITE = 'UPSERT { CONCEPT { {type: "Person", name: "$self"} SET ATTRIBUTES $attributes } }'


@dataclass(frozen=True, slots=True)
class Identity:
    """What the agent says it is; what is not set is null."""

    role: Value = None
    objectives: Value = None
    capabilities: Value = None
    serves: Value = None  # names


def identity_of(nexus: Nexus) -> Identity:
    """Return what the agent of a memory says it is."""
    identity = nexus.read(_READ).only(Description).body["identity"]
    parts = identity if isinstance(identity, dict) else {}
    return Identity(**{one: parts.get(one) for one in _PARTS})


def set_identity(
    nexus: Nexus,
    role: str | None = None,
    objectives: Sequence[str] | None = None,
    capabilities: Sequence[str] | None = None,
    *,
    actor: str | None = None,
    request_id: str | None = None,
) -> None:
    """Set what is given, whole, and leave the rest; the Person `$self` is made if it is missing."""
    given: dict[str, Value] = {}
    if role is not None:
        given["role"] = role
    if objectives is not None:
        given["objectives"] = list[Value](objectives)
    if capabilities is not None:
        given["capabilities"] = list[Value](capabilities)
    if given:
        nexus.write(_WRITE, {"attributes": given}, actor=actor, request_id=request_id)
