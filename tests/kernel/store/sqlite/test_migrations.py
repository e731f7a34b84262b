"""A file of an older version is brought up to date, with all that it holds."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.reference.copies import dumped

import recollect
from recollect.kernel.store.sqlite.functions import register_functions
from recollect.kernel.store.sqlite.migrations import APPLICATION_ID, MIGRATIONS, VERSION
from recollect.model import AsOf, Key, PutConcept, PutLink

HELD = """
UPDATE counter SET last_n = 1;
INSERT INTO grp VALUES (3, 'default', zeroblob(10), 0, 0, zeroblob(32));
INSERT INTO term VALUES (3, 1, 'T');
INSERT INTO concept (id, group_id, type, name, public_id, attributes, metadata, valid_at,
    invalid_at, version, born_at, changed_at, expired_at, salt) VALUES
    (2, 3, 1, 'A', NULL, '{}', '{}', -(1 << 62), 1 << 62, 1, 1, 1, 1 << 62, zeroblob(16));
"""


def older(path: Path, steps: int) -> None:
    """Make a file as the first so many migrations left it."""
    connection = apsw.Connection(str(path))
    register_functions(connection)
    connection.execute(
        "CREATE TABLE migration (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)"
    )
    for migration in MIGRATIONS[:steps]:
        connection.execute(migration.sql)
        connection.execute("INSERT INTO migration VALUES (?, 0)", (migration.name,))
    connection.execute(HELD)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {steps}")
    connection.close()


@pytest.mark.parametrize("steps", range(1, VERSION + 1))
def test_an_older_file_is_brought_up_to_date_and_keeps_what_it_holds(
    tmp_path: Path, steps: int
) -> None:
    path = tmp_path / "memory.db"
    older(path, steps)
    for _ in range(2):
        with recollect.open(path) as nexus:
            (answer,) = nexus.read('FIND(?x) WHERE { ?x {type: "T", name: "A"} }').results
            assert len(answer.rows) == 1  # type: ignore[union-attr]
            nexus.group("other").write([PutConcept("T", "B")])
    with recollect.open(path, group="other") as nexus:
        assert nexus.purge(Key("T", "B")).is_complete
        assert nexus.verify().is_whole
    connection = apsw.Connection(str(path))
    assert [name for (name,) in connection.execute("SELECT name FROM migration ORDER BY name")] == [
        one.name for one in MIGRATIONS
    ]
    assert connection.pragma("user_version") == VERSION
    connection.close()


def test_what_concepts_and_links_said_before_comes_into_one_table(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    a, b = Key("T", "A"), Key("T", "B")
    with recollect.open(path) as nexus:
        nexus.add_index("T", "n")
        nexus.write([PutConcept("T", "B")])
        for n in range(3):
            nexus.write([PutConcept("T", "A", {"n": n}), PutLink(a, "p", b, {"n": n})])
        before = dumped(nexus)
    connection = apsw.Connection(str(path))
    connection.execute("""
        ALTER TABLE past RENAME TO concept_past;
        CREATE TABLE link_past (group_id, id, until, attributes, metadata, valid_at, invalid_at,
            version, changed_at, PRIMARY KEY (group_id, id, until)) WITHOUT ROWID;
        INSERT INTO link_past SELECT * FROM concept_past WHERE id & 1;
        DELETE FROM concept_past WHERE id & 1;
        DELETE FROM migration WHERE name = 'm014_one_past';
        PRAGMA user_version = 13;
    """)
    connection.close()
    with recollect.open(path) as nexus:
        assert dumped(nexus) == before
        assert nexus.doctor().is_well
        asked = 'FIND(?a.attributes.n, ?p.attributes.n) WHERE { ?p (?a, "p", ?b) }'
        (answer,) = nexus.read(asked, as_of=AsOf(transaction=3)).results
        assert answer.rows == [(1, 1)]  # type: ignore[union-attr]
