"""A declared index is used by the comparisons that the compiler writes."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel.lang import ast, parse
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.catalogs import Catalogs
from recollect.kernel.read.cells import Page
from recollect.kernel.read.reader import Reader
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import AttributeIndex, Limits, PutConcept, Rows

pytestmark = pytest.mark.sqlite_only("looks at SQLite's plans, and at names of older files")

ATTRIBUTE = 'risk "level"\'s'  # what would break out of a badly quoted text
INDEX = "USING INDEX attribute:"
QUESTION = 'FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) ATTR(?d, $, ?r) FILTER(@) }'


@pytest.fixture
def place(tmp_path: object) -> str:
    return f"{tmp_path}/memory.db"


@pytest.fixture
def nexus(place: str) -> Iterator[recollect.Nexus]:
    with recollect.Nexus.open(place, synchronous="normal") as nexus:
        for group in (nexus, nexus.group("decoy")):
            drugs = [PutConcept("Drug", f"d{n}", {ATTRIBUTE: n % 50, "n": n}) for n in range(1000)]
            group.write(drugs)
            group.write([PutConcept("Food", f"f{n}", {ATTRIBUTE: n}) for n in range(50)])
        yield nexus


def question(test: str) -> str:
    return QUESTION.replace("$", '"risk \\"level\\"\'s"').replace("@", test)


def plan(place: str, text: str) -> str:
    """Return the engine's own plan of a query of the group `default`."""
    store = SqliteStore(place)
    with store.reading() as session:
        reader = Reader(session, Catalogs().of(session, "default"), Limits())
        (find,) = parse(text).statements
        assert isinstance(find, ast.Find)
        bindings = Bindings({})
        compiled, parameters, _ = reader.compile(find, bindings, Page.of(find, bindings))
        steps = session.plan(compiled.sql, {**parameters, "limit": 10, "offset": 0})
    store.close()
    return "\n".join(steps)


@pytest.mark.parametrize("is_analysed", [False, True])
@pytest.mark.parametrize(
    "test", ["?r == 3", "?r < 3", "?r > 47", "?r >= 48", '?r == "3"', '?r < "3"']
)
def test_a_comparison_uses_the_index(
    nexus: recollect.Nexus, place: str, test: str, is_analysed: bool
) -> None:
    before = nexus.read(question(test)).results
    assert INDEX not in plan(place, question(test))
    nexus.add_index("Drug", ATTRIBUTE)
    if is_analysed:
        assert nexus.doctor(fix=True).is_well
    assert INDEX in plan(place, question(test))
    assert nexus.read(question(test)).results == before
    nexus.drop_index("Drug", ATTRIBUTE)
    assert INDEX not in plan(place, question(test))
    assert nexus.read(question(test)).results == before


def test_the_index_finds_what_is_written_after_it(nexus: recollect.Nexus) -> None:
    nexus.add_index("Drug", ATTRIBUTE)
    nexus.write(
        [PutConcept("Drug", "d1", {ATTRIBUTE: 777}), PutConcept("Drug", "new", {ATTRIBUTE: 777})]
    )
    found = nexus.read(question("?r == 777")).results[0]
    assert isinstance(found, Rows)
    assert found.rows == [("d1",), ("new",)]


def test_groups_share_an_index_and_keep_their_own_declarations(
    nexus: recollect.Nexus, place: str
) -> None:
    decoy = nexus.group("decoy")
    nexus.add_index("Drug", ATTRIBUTE)
    nexus.add_index("Drug", ATTRIBUTE)
    nexus.add_index("Absent", "n")
    assert decoy.declared.indexes() == ()
    decoy.add_index("Food", ATTRIBUTE)
    assert nexus.declared.indexes() == (
        AttributeIndex("Absent", "n"),
        AttributeIndex("Drug", ATTRIBUTE),
    )
    nexus.drop_index("Drug", ATTRIBUTE)
    assert decoy.declared.indexes() == (AttributeIndex("Food", ATTRIBUTE),)
    assert INDEX in plan(place, question("?r == 3"))
    decoy.drop_index("Food", ATTRIBUTE)
    assert INDEX not in plan(place, question("?r == 3"))


@pytest.mark.parametrize("attribute", ["name", "type", "id", "", "a\0b"])
def test_what_cannot_be_indexed_is_refused(nexus: recollect.Nexus, attribute: str) -> None:
    with pytest.raises(RecollectError):
        nexus.add_index("Drug", attribute)
    assert nexus.declared.indexes() == ()


def test_dropping_what_is_not_there_names_what_is(nexus: recollect.Nexus) -> None:
    nexus.add_index("Drug", "risk_level")
    with pytest.raises(RecollectError) as caught:
        nexus.drop_index("Drug", "risk_lvl")
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert caught.value.hint == "use Drug.risk_level"


def test_a_dropped_group_takes_its_declarations_along(nexus: recollect.Nexus) -> None:
    nexus.group("decoy").add_index("Drug", ATTRIBUTE)
    nexus.drop_group("decoy")
    assert nexus.group("decoy").declared.indexes() == ()
    assert nexus.doctor().findings == ()


def test_an_index_that_is_built_tells_of_how_many_concepts_it_knows(nexus: recollect.Nexus) -> None:
    told: list[tuple[str, int, int]] = []
    nexus.write([PutConcept("Drug", f"more {n}", {"n": n}) for n in range(3000)])
    nexus.add_index("Drug", "n", progress=lambda *step: told.append(step))
    assert len(told) > 2
    assert {(step, total) for step, _, total in told} == {("concepts", 5100)}
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})
    assert told[-1][1] == 5100
    assert told[-2][1] < 5100


@pytest.mark.parametrize("first", ["code", "Code", "^Code"])
def test_attributes_that_differ_in_case_have_an_index_each(
    nexus: recollect.Nexus, place: str, first: str
) -> None:
    attributes = sorted({"code", "Code", "CODE", "^code", "^Code"}, key=lambda one: one != first)
    for attribute in attributes:
        nexus.add_index("Drug", attribute)
    assert nexus.doctor(fix=True).findings == ()
    nexus.write([PutConcept("Drug", one, {one: "x"}) for one in attributes])
    for attribute in attributes:
        found = nexus.concepts.newest("Drug", attribute, {attribute: ["x"]})
        assert [one.name for one in found] == [attribute]
    nexus.group("decoy").add_index("Food", "Code")
    for attribute in attributes:
        nexus.drop_index("Drug", attribute)
        assert nexus.doctor().findings == ()
    asked = 'FIND(?f) WHERE { ?f {type: "Drug"} ATTR(?f, "Code", ?c) FILTER(?c == "x") }'
    assert "USING INDEX attribute^:^Code" in plan(place, asked)


def name_as_before(place: str) -> None:
    """Name the index of `Code` as older builds did, where `code` could not have one beside it."""
    connection = apsw.Connection(place)
    (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'attribute^:^Code'")
    connection.execute('DROP INDEX "attribute^:^Code"')
    connection.execute('DROP INDEX IF EXISTS "attribute:code"')
    connection.execute(str(sql[0]).replace("attribute^:^Code", "attribute:Code"))
    connection.close()


@pytest.mark.parametrize("attribute", ["code", "Code", "other"])
def test_adding_an_index_makes_those_anew_that_an_older_build_named(
    nexus: recollect.Nexus, place: str, attribute: str
) -> None:
    nexus.add_index("Drug", "Code")
    name_as_before(place)
    assert len(nexus.doctor().findings) == 2
    nexus.add_index("Drug", attribute)
    assert nexus.doctor().findings == ()


@pytest.mark.parametrize("attribute", ["code", "Code"])
def test_dropping_an_index_takes_the_one_away_that_an_older_build_named(
    nexus: recollect.Nexus, place: str, attribute: str
) -> None:
    for one in ("Code", "code"):
        nexus.add_index("Drug", one)
    name_as_before(place)
    nexus.drop_index("Drug", attribute)
    assert nexus.doctor().findings == ()


def test_an_index_that_an_older_build_named_after_capitals_is_made_anew(
    nexus: recollect.Nexus, place: str
) -> None:
    nexus.add_index("Drug", "Code")
    nexus.add_index("Drug", "code")
    nexus.write([PutConcept("Drug", "new", {"Code": "x", "code": "y"})])
    name_as_before(place)
    for attribute, value in (("Code", "x"), ("code", "y")):
        found = nexus.concepts.newest("Drug", attribute, {attribute: [value]})
        assert [one.name for one in found] == ["new"]
    assert {finding.message for finding in nexus.doctor().findings} == {
        "the index of Code is declared but not built",
        "the index of code is declared but not built",
        "the index attribute:Code belongs to no declared attribute",
    }
    assert nexus.doctor(fix=True).is_well
    assert nexus.doctor().findings == ()
