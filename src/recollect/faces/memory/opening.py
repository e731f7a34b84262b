"""A memory opened for a person or an agent, with what is so in life.

The rule: a group that nothing was loaded into learns which predicates have one object at a time,
once; what a group says of them afterwards stands.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, Final

from recollect.faces.kip import load_capsules
from recollect.faces.memory.memory import Memory
from recollect.kernel import Nexus
from recollect.model import Rows

_LIFE: Final = "life"
_KNOWS: Final = 'FIND(?one) WHERE { ?one {type: "$PropositionType", name: "works_at"} }'


def open_memory(
    path: str | PathLike[str] = "memory.db",
    *,
    group: str = "default",
    actor: str | None = None,
    is_person: bool = False,
    **options: Any,  # noqa: ANN401 - those of Nexus.open
) -> Memory:
    """Open a file, or make it, and return what `actor` remembers in a group of it.

    `is_person` says that the actor is a person, whose word is evidence of itself. `options` are
    those of `recollect.open`. Predicates such as works_at have one object at a time: a new fact
    ends the old one. Close it, or use it in a `with`.
    """
    nexus = Nexus.open(path, **options)
    memory = Memory.open(nexus, group, actor=actor, is_person=is_person)
    try:
        load_life(memory.nexus)
    except BaseException:
        nexus.close()
        raise
    return memory


def load_life(nexus: Nexus) -> None:
    """Load what is so in life into a group, unless that was done before."""
    (found,) = nexus.read(_KNOWS).results
    assert isinstance(found, Rows)
    if not found.rows:
        load_capsules(nexus, [_LIFE])
