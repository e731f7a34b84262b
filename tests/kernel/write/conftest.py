from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.kernel.write.ledger import verify
from tests.kernel.write.memory import Memory

from recollect.kernel.store.sqlite.store import SqliteStore

DECOY = """
UPSERT {
    CONCEPT @a { {type: "T", name: "A", id: "a"} SET ATTRIBUTES { of: "decoy" } }
    CONCEPT @b { {type: "T", name: "B"} SET PROPOSITIONS { ("p", @a) } }
    CONCEPT @d { {type: "Drug", name: "Aspirin"} SET PROPOSITIONS { ("treats", @s) } }
    CONCEPT @s { {type: "Symptom", name: "Headache"} }
}
"""


@pytest.fixture
def memory() -> Iterator[Memory]:
    """A group beside a decoy of the same names; the log of both is verified at the end."""
    store = SqliteStore(":memory:")
    decoy = Memory(store, "decoy")
    decoy.write(DECOY)
    held = decoy.concepts(), decoy.links(), decoy.tally()
    memory = Memory(store)
    yield memory
    verify(store, memory.group.group_id)
    assert verify(store, decoy.group.group_id) == 1
    assert (decoy.concepts(), decoy.links(), decoy.tally()) == held
    store.close()
