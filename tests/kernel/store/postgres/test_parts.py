"""Tables in parts show which statements leave their group: the watch over every run can fail."""

from __future__ import annotations

import pytest

import parts
import recollect

BESIDE = "SELECT 1 FROM concept AS c JOIN link AS l ON l.subject = c.id WHERE c.group_id = $1"


def test_a_table_without_its_own_group_is_seen(database: str) -> None:
    with pytest.raises(AssertionError, match="'link': 8"):
        parts.check(database, {BESIDE: [1], f"{BESIDE} AND l.group_id = $1": [1]})


def test_what_a_memory_says_stays_within_its_group(on_server: str, database: str) -> None:
    with parts.heard() as found, recollect.open(on_server) as nexus:
        nexus.write(
            'UPSERT { CONCEPT @a { {type: "T", name: "a"} SET PROPOSITIONS { ("p", @a) } } }'
        )
        nexus.read('FIND(?x) WHERE { ?x {type: "T"} NOT { (?x, "q", ?y) } }')
        nexus.search("a")
        nexus.doctor(fix=True)
        nexus.purge(recollect.Key("T", "a"))
    assert len(found) > 100
    parts.check(database, found)
