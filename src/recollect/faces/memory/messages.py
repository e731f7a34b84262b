"""Messages become episodes, which are found by their words.

The rule: what is told has an id that its content gives, so what is told twice is kept once; what
was withdrawn and is told again comes back.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.faces.memory.undoing import changes_back
from recollect.faces.operations import Operations
from recollect.faces.operations.envelope import envelope_error
from recollect.kernel import Nexus
from recollect.model import instant_text

_NAMESPACE: Final = uuid.UUID("5b9c52d8-6d6e-5a0e-9b52-0c5f6f1a7e11")


def id_of(group: str, *says: object) -> str:
    """Return the id of what is told in a group."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps([group, *says], sort_keys=True, default=str)))


def keep_messages(
    nexus: Nexus, operations: Operations, messages: Sequence[Mapping[str, Any]], actor: str | None
) -> tuple[tuple[str, ...], int | None]:
    """Keep messages, and return the ids of their episodes and the transaction of the last new one.

    A message is of a user, and of the time of the one before it, or of now, unless it says
    otherwise.
    """
    time, told = instant_text(nexus.now()), list[dict[str, Any]]()
    for message in messages:
        told.append({"role_type": "user", "timestamp": time, **message})
        time = told[-1]["timestamp"]
    items = [{"uuid": id_of(nexus.group_name, one), **one} for one in told]
    ids = tuple(str(one["uuid"]) for one in items)
    living = nexus.elements.look_up(ids)
    withdrawn = nexus.elements.look_up(ids, closed=True).keys() - living.keys()
    given = {"group_id": nexus.group_name, "messages": items}
    envelope = operations.call("AddMessages", given)
    if "error" in envelope:
        raise envelope_error(envelope["error"])
    for one in withdrawn:
        nexus.write(changes_back(nexus, one).changes, actor=actor)
    new = [one for one in ids if one not in living]
    if not new:
        return ids, None
    return ids, nexus.history(new[-1])[-1].versions[-1].since.number
