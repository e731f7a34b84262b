"""Names that are unique, case and white space aside, in every way they can be written."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import recollect
from recollect.errors import DUPLICATE_EXISTS, RecollectError
from recollect.kernel.store.sqlite.migrations import MIGRATIONS
from recollect.model import Delete, Key, PutConcept


def test_a_batch_matches_a_name_in_any_spelling() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write([PutConcept("Entity", "acme", id="other")])
        (first,) = nexus.write([PutConcept("Entity", "Acme", {"a": 1}, id="n")]).results
        (again,) = nexus.write([PutConcept("Entity", " ACME ", {"b": 2})]).results
        assert first.ids == again.ids == ("n",)  # type: ignore[union-attr]
        assert nexus.elements.look_up(["n"])["n"].element.attributes == {"a": 1, "b": 2}


def test_other_types_are_free_to_share_names() -> None:
    with recollect.open(":memory:") as nexus:
        (report,) = nexus.write([PutConcept("Drug", name) for name in ("Acme", "acme")]).results
        assert report.created == 2  # type: ignore[union-attr]


def test_a_name_is_free_again_after_a_delete_in_the_same_batch() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("Entity", "Acme")])
        nexus.write([Delete(Key("Entity", "Acme")), PutConcept("Entity", "ACME", id="new")])
        assert nexus.elements.look_up(["new"])["new"].element.name == "ACME"  # type: ignore[union-attr]
        with pytest.raises(RecollectError) as caught:
            nexus.write([PutConcept("Entity", "acme", id="newer")])
        assert caught.value.code is DUPLICATE_EXISTS


@pytest.mark.sqlite_only("is about a file of an older version")
def test_an_older_file_gets_its_keys_and_keeps_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("Entity", "Acme", id="n"), PutConcept("Drug", "Acme")])
    connection = apsw.Connection(str(path))
    connection.execute("DROP INDEX concept_name_key")
    connection.execute("ALTER TABLE concept DROP COLUMN name_key")
    connection.execute("DELETE FROM migration WHERE name LIKE '%name_key'")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
    connection.close()
    with recollect.open(path) as nexus, pytest.raises(RecollectError) as caught:
        nexus.write([PutConcept("Entity", "ACME", id="other")])
    assert caught.value.code is DUPLICATE_EXISTS
