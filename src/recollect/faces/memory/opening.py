"""A memory opened for a person or an agent, with what is so in life.

The rule: a group that nothing was loaded into learns which predicates have one object at a time,
once; what a group says of them afterwards stands.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from recollect.faces.kinds import open_memory
from recollect.faces.kip import begin_life
from recollect.faces.memory.memory import Memory


def memory_of(
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
    nexus = open_memory(path, **options)
    memory = Memory.open(nexus, group, actor=actor, is_person=is_person)
    try:
        begin_life(memory.nexus, actor=actor)
    except BaseException:
        nexus.close()
        raise
    return memory
