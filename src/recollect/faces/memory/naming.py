"""Which living thing a plain name means.

The rule: a name means what is called exactly so; only concepts of free kinds are meant: none that a
call of a face writes, none of the language's own types.
"""

from __future__ import annotations

import json
from typing import Final

from recollect.kernel import Nexus
from recollect.model import Concept, Rows

_NAMED: Final = "FIND(?one) WHERE { ?one {name: $name} } LIMIT 20"


def things_named(nexus: Nexus, name: str) -> list[Concept]:
    """Return the living concepts of free kinds that a name means, the oldest first."""
    (rows,) = nexus.read(_NAMED, {"name": name}).results
    assert isinstance(rows, Rows)
    found = [one for (one,) in rows.rows if isinstance(one, Concept)]
    return [one for one in found if nexus.kinds.is_free(one.type)]


def json_text(value: object) -> str:
    """Return a value as JSON writes it."""
    return json.dumps(value, ensure_ascii=False)
