"""Texts that are longer than a row of an index, on a server as in a file."""

from __future__ import annotations

import random
from io import BytesIO

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.kernel.sql.nodes import Column, From, Number, Order, Select, equal
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.statements.living import (
    BY_PUBLIC_ID,
    CONCEPT_BY_NAME,
    CONCEPT_BY_NAME_KEY,
)
from recollect.model import LIVING, Instant, Key, PutConcept, PutLink

_LIVING = Number(LIVING)
_DRAWN = random.Random(7)


def long(last: str) -> str:
    """Return 4,096 characters of four bytes each, alike but for the last one."""
    return _COMMON + last


_COMMON = "".join(chr(_DRAWN.randrange(0x20000, 0x2A000)) for _ in range(4_095))
ONE, OTHER = long("\U0001f600"), long("\U0001f601")
NAMED = 'FIND(?d.name, ?d.attributes.n) WHERE { ?d {type: "Drug", name: :name} }'
AMONG = 'FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(IN(?d.name, :names)) } ORDER BY ?d.name'
GIVEN = "FIND(?d.name) WHERE { ?d {id: :id} }"


def rows(nexus: Nexus, text: str, **parameters: object) -> object:
    return nexus.read(text, parameters=parameters).results[0].rows  # type: ignore[arg-type, union-attr]


def filled(nexus: Nexus) -> None:
    for at, name in enumerate((ONE, OTHER, ONE)):  # the third updates the first
        nexus.write([PutConcept("Drug", name, {"n": at}, id=f"{name[:-2]}#{name[-1]}")])
    nexus.write([PutConcept("Entity", name) for name in (ONE, OTHER)])
    for key in (ONE, OTHER, ONE):
        nexus.write([PutLink(Key("Drug", ONE), "treats", Key("Drug", OTHER), key=key)])
    nexus.write([PutLink(Key("Drug", ONE), "causes", Key("Drug", OTHER), id=f"k{ONE[1:]}")])


def answers(nexus: Nexus) -> list[object]:
    return [
        *(rows(nexus, NAMED, name=name) for name in (ONE, OTHER, _COMMON)),
        rows(nexus, AMONG, names=[OTHER, ONE, "none"]),
        *(rows(nexus, GIVEN, id=f"{ONE[:-2]}#{name[-1]}") for name in (ONE, OTHER)),
        rows(nexus, 'FIND(COUNT(?k)) WHERE { ?k (?a, "treats", ?b) }'),
        rows(nexus, "FIND(COUNT(?k)) WHERE { ?k (id: :id) }", id=f"k{ONE[1:]}"),
    ]


def dumped(nexus: Nexus) -> bytes:
    stream = BytesIO()
    nexus.dump(stream)
    return stream.getvalue()


def test_names_ids_and_keys_of_any_length_are_on_a_server_as_in_a_file(on_server: str) -> None:
    with recollect.open(":memory:") as file, recollect.open(on_server) as served:
        for nexus in (file, served):
            filled(nexus)
        assert answers(served) == answers(file)
        assert answers(file)[:3] == [[(ONE, 2)], [(OTHER, 1)], []]
        for nexus in (file, served):
            with pytest.raises(RecollectError):  # the id is another concept's
                nexus.write([PutConcept("Food", "salt", id=f"{ONE[:-2]}#{ONE[-1]}")])
        assert served.doctor().findings == ()


def test_a_dump_with_names_of_any_length_goes_to_a_server_and_back(on_server: str) -> None:
    with recollect.open(":memory:") as file, recollect.open(on_server) as served:
        filled(file)
        served.restore(BytesIO(dumped(file)))
        assert answers(served) == answers(file)
        assert dumped(served) == dumped(file)


def test_equal_texts_are_found_and_ordered_through_their_index(
    on_server: str, database: str
) -> None:
    with recollect.open(on_server) as served:
        put = [PutConcept("Drug", f"n{n}", id=f"i{n}") for n in range(10_000)]
        served.write([*put, *(PutConcept("Entity", f"e{n}") for n in range(10_000))])
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ANALYZE")
    store = PostgresStore(on_server)
    named, ids = {"wanted": '[[1, "n7"]]'}, {"wanted": '["i7"]'}
    order = Select(
        ((Column("c", "id"), ""),),
        (From("concept", "c"),),
        (equal(Column("c", "group_id"), Number(1)), equal(Column("c", "expired_at"), _LIVING)),
        order_by=(Order(Column("c", "name")),),
        limit=Number(10),
    )
    with store.reading() as session:
        for text, index, values in (
            (session.dialect.spelt[CONCEPT_BY_NAME], "concept_name", {"wanted": '["n7"]'}),
            (session.dialect.spelt[CONCEPT_BY_NAME_KEY], "concept_name_key", named),
            (session.dialect.spelt[BY_PUBLIC_ID], "concept_public", ids),
            (order.sql(session.dialect), "concept_name", {}),
        ):
            asked: dict[str, SqlValue] = {"group": 1, "living": LIVING, **values}
            plan = "\n".join(str(line) for (line,) in session.rows(f"EXPLAIN {text}", asked))
            assert f"using {index} " in plan, plan
            assert "digest_of" not in plan, plan  # a short text costs no call
    store.close()


def test_types_predicates_and_keys_of_any_length_are_kept_apart(on_server: str) -> None:
    with recollect.open(on_server) as nexus:
        nexus.group("decoy").write([PutConcept(ONE, "decoy")])
        for type_ in (ONE, OTHER, ONE):
            nexus.write([PutConcept(type_, "x"), PutConcept("T", "y")])
            nexus.write([PutLink(Key(type_, "x"), type_, Key("T", "y"))])
        assert nexus.stats().types == 3
        assert nexus.stats().predicates == 2
        with recollect.open(on_server) as other:
            assert rows(other, "FIND(?x.name) WHERE { ?x {type: $type} }", type=OTHER) == [("x",)]
        for at, key in enumerate((ONE, OTHER, ONE)):
            now, until = Instant(at), Instant(10**12)
            nexus.answers.keep("op", key, b"asked", {"at": at}, now=now, until=until)
        for key, at in ((ONE, 2), (OTHER, 1)):
            kept = nexus.answers.find("op", key, b"asked", Instant(9))
            assert kept is not None
            assert kept.answer == {"at": at}
        assert nexus.verify().breach is None
        assert nexus.doctor().findings == ()
