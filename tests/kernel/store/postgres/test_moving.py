"""A memory moves from a file to a server and back, with all that was."""

from __future__ import annotations

from io import BytesIO

import recollect
from recollect.model import Key, Merge

FIRST = """
UPSERT {
    CONCEPT ?drug { {type: "$ConceptType", name: "Drug"} }
    CONCEPT ?treats { {type: "$PropositionType", name: "treats"} }
    CONCEPT ?pain { {type: "Entity", name: "Pain"} }
}
"""
MORE = """
UPSERT {
    CONCEPT ?one {
        {type: "Drug", name: "Dr\u00fcg {n}"}
        SET ATTRIBUTES { risk: {n}, z: {round}, big: 1e16, none: -0.0 }
        SET PROPOSITIONS { ("treats", {type: "Entity", name: "Pain"}) }
    }
}
"""


def filled(nexus: recollect.Nexus) -> None:
    """Write a group with a past, a merge, an erased and a closed element, and an index."""
    nexus.write(FIRST)
    for round_ in range(2):
        for number in range(6):
            nexus.write(MORE.replace("{n}", str(number)).replace("{round}", str(round_)))
    nexus.write([Merge(Key("Drug", "Dr\u00fcg 1"), Key("Drug", "Dr\u00fcg 2"))])
    nexus.add_index("Drug", "risk")
    nexus.write('DELETE CONCEPT ?c DETACH WHERE { ?c {type: "Drug", name: "Dr\u00fcg 3"} }')
    nexus.purge(Key("Drug", "Dr\u00fcg 4"))


def dumped(nexus: recollect.Nexus) -> bytes:
    stream = BytesIO()
    nexus.dump(stream, all_groups=True)
    return stream.getvalue()


def test_a_memory_is_the_same_on_a_server_and_back_in_a_file(on_server: str) -> None:
    with recollect.open(":memory:", group="decoy") as decoy:
        filled(decoy)
        others = dumped(decoy)
    with recollect.open(":memory:") as before, recollect.open(on_server) as served:
        filled(before)
        was = dumped(before)
        assert served.restore(BytesIO(was)) == ["default"]
        served.restore(BytesIO(others))  # whose ids are the same: here they are of a group
        assert sorted(dumped(served).splitlines()[1:-1]) == sorted(
            (*was.splitlines()[1:-1], *others.splitlines()[1:-1])
        )
        assert served.doctor().findings == ()
        assert served.verify() == before.verify()
        erased = served.purge(Key("Drug", "Dr\u00fcg 5"))
        assert (erased.concepts, erased.links, erased.past_contents) == (1, 1, 1)
        assert served.doctor(fix=True).findings == ()
        stream = BytesIO()
        served.dump(stream)
        with recollect.open(":memory:") as back:
            back.restore(BytesIO(stream.getvalue()))
            assert dumped(back) == stream.getvalue()
            assert back.verify().breach is None
            assert back.doctor().findings == ()
        served.drop_group("default")
        assert served.doctor().findings == ()
        assert dumped(served) == others
