"""Row level security: the user of a memory sees the rows of one group, whatever SQL it says."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.faces.operations import Operations
from recollect.kernel.store.group import existing_group, last_transaction
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.roles import OF_GROUPS, OF_NO_GROUP, TABLES, roles_script
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.statements.rows import LOG
from recollect.model import Instant, Key, PutConcept, PutLink
from recollect.servers.wiring import require_group

WRITE = 'UPSERT { CONCEPT { {type: "Drug", name: $name} } }'
COUNT = 'FIND(?x) WHERE { ?x {type: "Drug"} }'


def schema_of(address: str) -> str:
    return parse_qs(urlsplit(address).query)["schema"][0]


def plain(address: str) -> str:
    """Return an address without what is ours in it."""
    return parse_server(address).conninfo


def as_role(address: str, role: str) -> str:
    """Return an address for another role; the server of tests asks nobody for a password."""
    host = urlsplit(address).netloc.rpartition("@")[2]
    return urlsplit(address)._replace(netloc=f"{role}@{host}").geturl()


@pytest.fixture
def roles(on_server: str) -> Iterator[tuple[str, str]]:
    """The addresses of a memory of two groups by its owner and by its user, made for this test."""
    with recollect.open(on_server) as nexus:
        for group, names in (("ours", ("a", "b")), ("theirs", ("a", "b", "secret"))):
            for name in names:
                nexus.group(group).write(WRITE, {"name": name})
    schema = schema_of(on_server)
    owner, user = f"{schema}_owner", f"{schema}_user"
    with psycopg.connect(plain(on_server)) as connection:
        for _ in range(2):  # running it again changes nothing
            connection.execute(roles_script(on_server, owner, user).encode())
        connection.commit()
        yield as_role(on_server, owner), as_role(on_server, user)
        connection.execute(f"DROP OWNED BY {owner}, {user}".encode())
        connection.execute(f"DROP ROLE {owner}, {user}".encode())


def names(nexus: recollect.Nexus) -> list[str]:
    return sorted(row[0].name for row in nexus.read(COUNT).results[0].rows)


def test_a_user_writes_reads_and_searches_in_each_group_by_itself(roles: tuple[str, str]) -> None:
    with recollect.open(f"{roles[1]}&rls=on") as nexus:
        ours, theirs, new = (nexus.group(one) for one in ("ours", "theirs", "new"))
        for _ in range(2):  # the second time by a prepared statement outside of blocks
            assert (names(ours), names(theirs)) == (["a", "b"], ["a", "b", "secret"])
        ours.write(WRITE, {"name": "c"})
        new.write(WRITE, {"name": "first"})
        assert (names(ours), names(new)) == (["a", "b", "c"], ["first"])
        assert [len(one.search("secret").results[0].hits) for one in (ours, theirs)] == [0, 1]
        with ours.transaction():
            ours.write(WRITE, {"name": "d"})
            theirs.write(WRITE, {"name": "e"})
            ours.write(WRITE, {"name": "f"})
        with ours.snapshot():
            assert (names(ours)[-1], names(theirs)[-2], names(ours)[-2]) == ("f", "e", "d")
        assert nexus.groups() == []  # nobody wrote to its own yet
        assert (ours.groups(), theirs.groups()) == (["ours"], ["theirs"])
    with recollect.open(roles[0]) as nexus:
        assert nexus.groups() == ["new", "ours", "theirs"]
        nexus.group("ours").verify()
        assert nexus.doctor().is_well


def test_a_commit_over_two_groups_is_looked_up_where_it_was_logged(roles: tuple[str, str]) -> None:
    store = PostgresStore(f"{roles[1]}&rls=on")
    with store.writing(group="ours") as session:
        group = existing_group(session, "ours")
        assert last_transaction(session, group.group_id) == 2
        row = {"group": group.group_id, "number": 3, "at": 3, "chain": b"kept", "last_id": 0}
        session.execute_many(LOG, [{**row, "actor": None, "request_id": None}])
        session.stay_in("theirs")
        connection = session._begun()
        connection.execute("COMMIT")
        connection.close()  # and nobody hears of it
    store.close()


def test_another_groups_rows_are_not_seen_even_by_sql_by_hand(roles: tuple[str, str]) -> None:
    user, schema = plain(roles[1]), schema_of(roles[0])
    with psycopg.connect(user) as connection:
        for named, most in (("ours", 1), ("theirs", 1), ("nobody", 0), ("", 0), (None, 0)):
            if named is not None:
                connection.execute("SELECT set_config('recollect.group', %s, true)", (named,))
            for table in (*OF_GROUPS, "group_name"):
                asked = f"SELECT count(DISTINCT group_id) FROM {schema}.{table} WHERE group_id > 0"
                row = connection.execute(asked.encode()).fetchone()
                assert row is not None
                assert row[0] <= most, (named, table)
                if table in ("grp", "group_name", "concept", "tx", "text_block"):
                    assert row[0] == most, (named, table)
            connection.rollback()
        connection.execute("SELECT set_config('recollect.group', 'ours', true)")
        found = connection.execute(f"SELECT name FROM {schema}.concept ORDER BY 1".encode())
        assert found.fetchall() == [("a",), ("b",)]
        changed = connection.execute(f"UPDATE {schema}.concept SET version = 9".encode())
        assert changed.rowcount == 2
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"UPDATE {schema}.concept SET group_id = group_id + 1".encode())
    assert user != plain(roles[0])


def test_a_wall_that_is_not_there_is_not_taken_for_one(
    on_server: str, roles: tuple[str, str]
) -> None:
    for address in (on_server, roles[0]):  # a superuser and an owner see everything
        with pytest.raises(RecollectError) as caught:
            recollect.open(f"{address}&rls=on")
        assert caught.value.code.code == "STORE_UNAVAILABLE"
        assert "recollect database roles" in str(caught.value.hint)


def test_a_user_is_told_that_the_owner_upgrades(roles: tuple[str, str]) -> None:
    missing = f"DELETE FROM {schema_of(roles[0])}.migration WHERE name = 'p007_ordered_values'"
    with psycopg.connect(plain(roles[0])) as connection:
        connection.execute(missing.encode())
    with pytest.raises(RecollectError, match=r"may not bring the schema .* up to date") as caught:
        recollect.open(f"{roles[1]}&rls=on", "ours")
    assert "owner" in str(caught.value.hint)
    recollect.open(roles[0]).close()
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        assert names(nexus) == ["a", "b"]


def test_an_upgrade_of_the_past_keeps_it_and_the_wall_around_it(roles: tuple[str, str]) -> None:
    a, b = Key("Drug", "a"), Key("Drug", "b")
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        for n in range(3):
            nexus.write([PutConcept("Drug", "a", {"n": n}), PutLink(a, "like", b, {"n": n})])
        then = [nexus.history(a), nexus.changes()]
    schema = schema_of(roles[0])
    with psycopg.connect(plain(roles[0])) as connection:
        connection.execute(f"SET search_path = {schema}".encode())
        connection.execute("""
            ALTER TABLE past RENAME TO concept_past;
            ALTER INDEX past_pkey RENAME TO concept_past_pkey;
            CREATE TABLE link_past (LIKE concept_past INCLUDING ALL);
            WITH moved AS (DELETE FROM concept_past WHERE id & 1 = 1
              RETURNING group_id, id, until, attributes, metadata, valid_at, invalid_at, version,
                changed_at)
            INSERT INTO link_past SELECT * FROM moved;
            DELETE FROM migration WHERE name = 'p008_one_past'
        """)
    with recollect.open(roles[0]) as nexus:
        assert nexus.doctor().is_well
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        assert [nexus.history(a), nexus.changes()] == then
        assert nexus.verify().is_whole


def test_what_is_of_all_groups_is_refused_where_they_are_hidden(roles: tuple[str, str]) -> None:
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        target = io.BytesIO()
        for ask in (
            nexus.doctor,
            partial(nexus.doctor, fix=True),
            partial(nexus.dump, target, all_groups=True),
            partial(nexus.groups, every=True),
        ):
            with pytest.raises(RecollectError, match="hides them") as caught:
                ask()
            assert caught.value.code.code == "STORE_UNAVAILABLE"
            assert "owner" in str(caught.value.hint)
        assert target.getvalue() == b""
        assert nexus.dump(target) > 2  # its own group is dumped
        require_group(nexus)
        with pytest.raises(RecollectError):
            require_group(nexus.group("none"))
        operations = Operations(nexus, worker=False)
        for name in ("GetEntityEdge", "DeleteEntityEdge", "DeleteEpisode"):
            answer = operations.call(name, {"uuid": "1"})  # it may be in a group that is not seen
            assert answer["error"]["error_code"] == "UNAVAILABLE", name
            named = operations.call(name, {"uuid": "1", "group_id": "theirs"})
            assert named.get("error", {}).get("error_code") in (None, "NOT_FOUND")
        answer = operations.call("ClearAll", {})
        assert answer["error"]["error_code"] == "UNAVAILABLE"
    with pytest.raises(RecollectError, match="hides them"):
        recollect.open(f"{roles[1]}&rls=on", check="quick")
    with recollect.open(roles[0]) as nexus:
        assert nexus.groups(every=True) == ["ours", "theirs"]
        assert nexus.doctor().is_well


def test_a_worker_behind_the_wall_works_on_its_own_group(roles: tuple[str, str]) -> None:
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        for group in ("ours", "theirs"):
            one = nexus.group(group)
            one.write(WRITE, {"name": "item"})
            one.queue.put(["an item"], "new", "r", then=lambda: None)
        assert nexus.queue.due_groups("me", Instant(2**50)) == ["ours"]


def test_a_user_erases_the_last_of_an_indexed_type_and_leaves_the_index_to_the_owner(
    roles: tuple[str, str],
) -> None:
    indexes = f"SELECT indexname FROM pg_indexes WHERE schemaname = '{schema_of(roles[0])}'"

    def built() -> set[str]:
        with psycopg.connect(plain(roles[0])) as connection:
            found = {str(name) for (name,) in connection.execute(indexes.encode()).fetchall()}
        return found & {f"attribute:{one}" for one in ("code", "dose", "unit")}

    with recollect.open(roles[0]) as owner:
        owner.group("ours").write('UPSERT { CONCEPT { {type: "Rare", name: "one"} } }')
        owner.group("ours").add_index("Rare", "code")
        owner.group("theirs").add_index("Drug", "dose")
        owner.group("new").write(WRITE, {"name": "x"})
        owner.group("new").add_index("Drug", "unit")
    assert built() == {"attribute:code", "attribute:dose", "attribute:unit"}
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        for receipt in (nexus.purge(Key("Rare", "one")), nexus.drop_group("new")):
            assert "until the owner of the tables runs recollect doctor --fix" in receipt.note
        assert "index" not in nexus.purge(Key("Drug", "a")).note
        assert nexus.declared.indexes() == ()
        with pytest.raises(RecollectError, match="does not own"):
            nexus.group("theirs").drop_index("Drug", "dose")
    assert built() == {"attribute:code", "attribute:dose", "attribute:unit"}
    with recollect.open(roles[0]) as owner:
        assert [one.message for one in owner.doctor().findings] == [
            f"the index attribute:{one} belongs to no declared attribute"
            for one in ("code", "unit")
        ]  # and no row of the group
        assert owner.doctor(fix=True).is_well
        assert owner.group("theirs").declared.indexes() != ()
    assert built() == {"attribute:dose"}


def test_a_user_erases_though_an_index_of_the_group_is_not_made_yet(
    roles: tuple[str, str],
) -> None:
    with recollect.open(roles[0], "ours") as owner:
        owner.write('UPSERT { CONCEPT { {type: "Rare", name: "one"} } }')
        owner.add_index("Drug", "dose")
        owner.add_index("Rare", "code")
    with psycopg.connect(plain(roles[0])) as connection:
        connection.execute(f'DROP INDEX {schema_of(roles[0])}."attribute:dose"'.encode())
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        assert nexus.purge(Key("Rare", "one")).concepts == 1
        assert [one.attribute for one in nexus.declared.indexes()] == ["dose"]
        assert nexus.drop_group("ours").concepts == 2


def test_an_attribute_is_found_by_its_index_behind_the_wall(roles: tuple[str, str]) -> None:
    asked = 'FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} FILTER(?d.attributes.code {} "c5") }}'
    with recollect.open(roles[0], "ours") as owner:
        owner.write([PutConcept("Drug", f"n{n}", {"code": f"c{n}"}) for n in range(3_000)])
        owner.add_index("Drug", "code")
    with recollect.open(f"{roles[1]}&rls=on", "ours") as nexus:
        for operator in ("==", ">"):
            plan = nexus.explain(asked.format(operator)).engine
            assert 'Index Scan using "attribute:code"' in "\n".join(plan)


def test_every_table_is_of_groups_or_known_to_be_of_none() -> None:
    assert set(OF_GROUPS) | set(OF_NO_GROUP) == set(TABLES)
    script = roles_script("postgresql://host/database", "ann", "bob")
    for one in OF_GROUPS:
        assert f'ALTER TABLE "recollect".{one} ENABLE ROW LEVEL SECURITY' in script
    with pytest.raises(RecollectError):
        roles_script("postgresql://host/database", 'ann"; DROP', "bob")


def test_a_user_whose_address_does_not_name_the_wall_is_told_so(roles: tuple[str, str]) -> None:
    with pytest.raises(RecollectError) as caught:
        recollect.open(roles[1])
    assert caught.value.code.code == "STORE_UNAVAILABLE"
    assert "hides every group" in caught.value.message
    assert "rls=on" in caught.value.hint
