"""Strict groups take what they declare, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import get_args

import pytest

import recollect
from recollect.errors import (
    CONSTRAINT_VIOLATION,
    INVALID_ARGUMENT,
    INVALID_VALUE,
    TYPE_MISMATCH,
    Code,
    RecollectError,
)
from recollect.model import Delete, Key, PutConcept, PutLink, SchemaMode, Value

SCHEMA = """
UPSERT {
  CONCEPT @drug {
    {type: "$ConceptType", name: "Drug"}
    SET ATTRIBUTES {
      description: "Something that heals.",
      instance_schema: {
        dose: {type: "number", is_required: true, description: "Milligrams."},
        count: {type: "integer"},
        forms: {type: "array", item_type: "string"},
        approved_at: {type: "datetime"},
        code: {type: ["string", "number"]},
        shape: {type: "Polygon"},
        colour: "red or blue",
        note: {type: "string"}
      }
    }
  }
  CONCEPT @free { {type: "$ConceptType", name: "Symptom"} SET ATTRIBUTES { instance_schema: 7 } }
  CONCEPT @treats { {type: "$PropositionType", name: "treats"} }
}
"""


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    """A strict group beside an open decoy that uses whatever it likes."""
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write([PutConcept("Durg", "A"), PutConcept("Drug", "A", {"dose": ""})])
        nexus.write(SCHEMA)
        assert nexus.set_schema("strict").mode == "strict"
        yield nexus


def refused(nexus: recollect.Nexus, text: str, **parameters: Value) -> RecollectError:
    before = nexus.stats().transactions
    with pytest.raises(RecollectError) as raised:
        nexus.write(text, parameters)
    assert nexus.stats().transactions == before
    return raised.value


def drug(attributes: str) -> str:
    return f'UPSERT {{ CONCEPT @d {{ {{type: "Drug", name: "Aspirin"}} SET ATTRIBUTES {attributes} }} }}'


def test_a_group_is_open_until_it_is_told_otherwise(nexus: recollect.Nexus):
    other = nexus.group("other")
    assert other.declared.schema().mode == "open"
    other.write([PutConcept("Anything", "at all", {"dose": []})])
    assert [one.message for one in other.declared.schema().misfits] == [
        'the concept type "Anything" is not declared'
    ]


def test_what_conforms_is_taken(nexus: recollect.Nexus):
    nexus.write(
        drug(
            '{ dose: 1.5, count: 2.0, forms: [], approved_at: "2020-05", code: 7, shape: 3, more: 1 }'
        )
    )
    nexus.write('UPSERT { CONCEPT @s { {type: "Symptom", name: "Pain"} } }')
    nexus.write([PutLink(Key("Drug", "Aspirin"), "treats", Key("Symptom", "Pain"))])
    assert nexus.declared.schema().misfits == ()


@pytest.mark.parametrize(
    ("text", "name", "known"),
    [
        ('UPSERT { CONCEPT @d { {type: "Durg", name: "A"} } }', "Durg", "Drug"),
        ('UPSERT { CONCEPT @d { {type: "drug", name: "A"} } }', "drug", "Drug"),
        ('UPSERT { PROPOSITION @p { ({type: "Drug", name: "A"}, "treat", {type: "Drug", name: "A"}) } }', "treat", "treats"),
        ('FIND(?d) WHERE { ?d {type: "Drugs"} }', "Drugs", "Drug"),
        ('FIND(?d) WHERE { NOT { (?d, "treat"{1,3}, ?s) } ?d {type: "Drug"} }', "treat", "treats"),
        ('SEARCH CONCEPT "a" WITH TYPE "Durg"', "Durg", "Drug"),
        ('EXPORT ?d WHERE { ?d {type: "Durg"} }', "Durg", "Drug"),
        ('DELETE CONCEPT {type: "Durg", name: "A"} DETACH', "Durg", "Drug"),
        ('UPDATE ?d SET ATTRIBUTES { a: 1 } WHERE { ?d {type: "Durg"} }', "Durg", "Drug"),
        ('EXPLAIN FIND(?d) WHERE { ?d {type: "Durg"} }', "Durg", "Drug"),
    ],
)  # fmt: skip
def test_an_undeclared_name_is_refused_where_it_stands(
    nexus: recollect.Nexus, text: str, name: str, known: str
):
    nexus.write(drug("{ dose: 1 }").replace("Aspirin", "A"))
    error = refused(nexus, text)
    assert error.code is TYPE_MISMATCH
    assert error.span is not None
    assert text[error.span.start : error.span.end] == f'"{name}"'
    assert error.known[0] == known
    assert error.hint == f'use "{known}"'
    assert error.fix is not None
    assert error.fix.text == f'"{known}"'


def test_what_calls_of_recollect_write_needs_no_declaration(nexus: recollect.Nexus):
    rows = nexus.read('FIND(?c) WHERE { ?c {type: "Claim"} (?c, "supported_by", ?e) }').results[0]
    assert rows.rows == []
    nexus.write([PutConcept("Claim", "c", {"text": "Ann is here"}), PutConcept("Entity", "Ann")])
    nexus.write([PutLink(Key("Claim", "c"), "tagged", Key("Entity", "Ann"))])
    assert nexus.declared.schema().misfits == ()
    with pytest.raises(RecollectError) as raised:
        nexus.write([PutLink(Key("Claim", "c"), "taged", Key("Entity", "Ann"))])
    assert raised.value.known[0] == "tagged"


def test_a_definition_of_what_needs_none_may_go_while_it_is_used(nexus: recollect.Nexus):
    nexus.write([PutConcept("$ConceptType", "Entity"), PutConcept("Entity", "Ann")])
    nexus.write('DELETE CONCEPT {type: "$ConceptType", name: "Entity"} DETACH')
    assert nexus.declared.schema().misfits == ()
    nexus.write([PutConcept("Entity", "Bob")])


def test_a_read_is_refused_too_and_by_parameter(nexus: recollect.Nexus):
    with pytest.raises(RecollectError) as raised:
        nexus.read("FIND(?d) WHERE { ?d {type: $type} }", {"type": "Durg"})
    assert raised.value.code is TYPE_MISMATCH
    assert raised.value.fix is None
    nexus.read("FIND(?d) WHERE { ?d {type: $type} }", {"type": "Drug"})


def test_a_text_that_was_answered_before_is_refused_once_its_type_is_gone(
    nexus: recollect.Nexus,
):
    asked = 'FIND(?d) WHERE { ?d {type: "Drug", name: "A"} }'
    for _ in range(3):
        nexus.read(asked)
    nexus.write('DELETE CONCEPT {type: "$ConceptType", name: "Drug"} DETACH')
    with pytest.raises(RecollectError):
        nexus.read(asked)


def test_why_is_asked_by_declared_names_too(nexus: recollect.Nexus):
    with pytest.raises(RecollectError) as raised:
        nexus.why('FIND(?d) WHERE { ?d {type: "Durg"} }')
    assert raised.value.code is TYPE_MISMATCH


def test_the_meta_types_are_always_known(nexus: recollect.Nexus):
    asked = 'FIND(?t.name) WHERE { ?t {type: "$ConceptType"} ?p {type: "$PropositionType"} }'
    assert sorted(nexus.read(asked).results[0].rows) == [("Drug",), ("Symptom",)]


def test_one_statement_may_declare_and_use(nexus: recollect.Nexus):
    nexus.write(
        """
        UPSERT {
          CONCEPT @a { {type: "Herb", name: "Sage"} SET PROPOSITIONS { ("grows_in", @g) } }
          CONCEPT @g { {type: "Place", name: "Garden"} }
          CONCEPT @t { {type: "$ConceptType", name: "Herb"} }
          CONCEPT @u { {type: "$ConceptType", name: "Place"} }
          CONCEPT @p { {type: "$PropositionType", name: "grows_in"} }
        }
        """
    )
    asked = 'FIND(?h.name) WHERE { (?h, "grows_in", {type: "Place", name: "Garden"}) }'
    assert nexus.read(asked).results[0].rows == [("Sage",)]


@pytest.mark.parametrize(
    ("attributes", "code", "attribute"),
    [
        ("{ count: 1 }", CONSTRAINT_VIOLATION, "dose"),
        ("{ dose: null }", CONSTRAINT_VIOLATION, "dose"),
        ('{ dose: "high" }', INVALID_VALUE, "dose"),
        ("{ dose: true }", INVALID_VALUE, "dose"),
        ("{ dose: 1, count: 1.5 }", INVALID_VALUE, "count"),
        ("{ dose: 1, count: false }", INVALID_VALUE, "count"),
        ('{ dose: 1, forms: "tablet" }', INVALID_VALUE, "forms"),
        ('{ dose: 1, approved_at: "soon" }', INVALID_VALUE, "approved_at"),
        ("{ dose: 1, code: [] }", INVALID_VALUE, "code"),
        ("{ dose: 1, note: {} }", INVALID_VALUE, "note"),
    ],
)
def test_an_attribute_is_as_it_is_declared(
    nexus: recollect.Nexus, attributes: str, code: Code, attribute: str
):
    text = drug(attributes)
    error = refused(nexus, text)
    assert error.code is code
    assert f'"{attribute}"' in error.message
    assert error.details == {"type": "Drug", "name": "Aspirin", "attribute": attribute}
    assert error.span is not None
    assert text[error.span.start : error.span.end] == '{type: "Drug", name: "Aspirin"}'


def test_a_batch_is_held_to_the_same(nexus: recollect.Nexus):
    for changes, code in (
        ([PutConcept("Durg", "A")], TYPE_MISMATCH),
        ([PutConcept("Drug", "A")], CONSTRAINT_VIOLATION),
        ([PutConcept("Drug", "A", {"dose": "1"})], INVALID_VALUE),
        ([PutConcept("Symptom", "P"), PutLink(Key("Symptom", "P"), "is", Key("Symptom", "P"))], TYPE_MISMATCH),
    ):  # fmt: skip
        with pytest.raises(RecollectError) as raised:
            nexus.write(changes)
        assert raised.value.code is code


def test_several_blocks_and_statements_complete_one_another(nexus: recollect.Nexus):
    nexus.write(
        """
        UPSERT {
          CONCEPT @a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { note: "first" } }
          CONCEPT @b { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { dose: 1 } }
          CONCEPT @c { {type: "Drug", name: "Other"} }
        }
        UPSERT { CONCEPT @c { {type: "Drug", name: "Other"} SET ATTRIBUTES { dose: 2 } } }
        """
    )
    assert nexus.declared.schema().misfits == ()


def test_a_required_attribute_is_not_taken_away(nexus: recollect.Nexus):
    nexus.write(drug("{ dose: 1 }"))
    text = 'DELETE ATTRIBUTES {"dose"} FROM ?d WHERE { ?d {type: "Drug", name: "Aspirin"} }'
    assert refused(nexus, text).code is CONSTRAINT_VIOLATION
    text = 'UPDATE ?d SET ATTRIBUTES { dose: "much" } WHERE { ?d {type: "Drug"} }'
    assert refused(nexus, text).code is INVALID_VALUE


def test_a_definition_stays_while_it_is_used(nexus: recollect.Nexus):
    nexus.write(drug("{ dose: 1 }"))
    gone = 'DELETE CONCEPT {type: "$ConceptType", name: "Drug"} DETACH'
    error = refused(nexus, gone)
    assert error.code is CONSTRAINT_VIOLATION
    assert "by 1 concept" in error.message
    nexus.write(f'DELETE CONCEPT {{type: "Drug", name: "Aspirin"}} DETACH {gone}')
    assert refused(nexus, 'FIND(?d) WHERE { ?d {type: "Drug"} }').code is TYPE_MISMATCH


def test_a_dry_run_is_held_to_the_same(nexus: recollect.Nexus):
    with pytest.raises(RecollectError):
        nexus.write(drug("{ count: 1 }"), dry_run=True)


def test_the_past_is_asked_by_what_was_declared_then(nexus: recollect.Nexus):
    nexus.write(drug("{ dose: 1 }"))
    then = recollect.AsOf(transaction=nexus.changes()[-1].transaction.number)
    nexus.write('DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH')
    nexus.write('DELETE CONCEPT {type: "$ConceptType", name: "Drug"} DETACH')
    asked = 'FIND(?d) WHERE { ?d {type: "Drug"} }'
    with pytest.raises(RecollectError):
        nexus.read(asked)
    (found,) = nexus.read(asked, as_of=then).results
    assert len(found.rows) == 1  # type: ignore[union-attr]


def test_the_past_before_a_type_was_declared_is_asked_by_its_name():
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write([PutConcept("Drug", "Decoy")])
        nexus.write([PutConcept("Drug", "Aspirin"), PutConcept("Drug", "Ibuprofen")])
        nexus.write([PutLink(Key("Drug", "Aspirin"), "like", Key("Drug", "Ibuprofen"))])
        nexus.write([PutConcept("$ConceptType", "Drug"), PutConcept("$PropositionType", "like")])
        nexus.set_schema("strict")
        before, linked = recollect.AsOf(transaction=1), recollect.AsOf(transaction=2)
        asked = 'FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) }'
        assert nexus.read(asked, as_of=before).results[0].rows == [("Aspirin",), ("Ibuprofen",)]
        asked = 'FIND(?n) WHERE { (?a, "like", ?b) ATTR(?b, "name", ?n) }'
        assert nexus.read(asked, as_of=before).results[0].rows == []
        assert nexus.read(asked, as_of=linked).results[0].rows == [("Ibuprofen",)]
        assert nexus.why(asked, as_of=linked)
        with pytest.raises(RecollectError) as raised:
            nexus.read('FIND(?d) WHERE { ?d {type: "Durg"} }', as_of=before)
        assert raised.value.hint == 'use "Drug"'


def misfitting(nexus: recollect.Nexus) -> recollect.Nexus:
    group = nexus.group("messy")
    group.write(SCHEMA)
    group.write(
        [
            PutConcept("Drug", "Aspirin", {"dose": "high"}),
            PutConcept("Drug", "Ibuprofen", {"dose": []}),
            PutConcept("Drug", "Naproxen"),
            PutConcept("Herb", "Sage"),
            PutLink(Key("Herb", "Sage"), "is_like", Key("Herb", "Sage")),
        ]
    )
    return group


def test_turning_strict_on_tells_what_does_not_conform_and_refuses(nexus: recollect.Nexus):
    group = misfitting(nexus)
    with pytest.raises(RecollectError) as raised:
        group.set_schema("strict")
    assert raised.value.code is CONSTRAINT_VIOLATION
    assert [(one.code, one.count, one.examples) for one in group.declared.schema().misfits] == [
        ("KIP_2001", 1, ()),
        ("KIP_2001", 1, ()),
        ("KIP_2003", 2, ("Aspirin", "Ibuprofen")),
        ("KIP_2002", 1, ("Naproxen",)),
    ]
    assert group.declared.schema().mode == "open"
    assert len(raised.value.details["misfits"]) == 4  # type: ignore[arg-type]


def test_what_does_not_conform_may_stay_where_strict_is_forced(nexus: recollect.Nexus):
    group = misfitting(nexus)
    assert len(group.set_schema("strict", force=True).misfits) == 4
    group.write('UPDATE ?d SET METADATA { seen: true } WHERE { ?d {type: "Drug"} }')
    with pytest.raises(RecollectError):
        group.write([PutConcept("Drug", "Naproxen", {"note": "x"})])
    group.write([PutConcept("Drug", "Naproxen", {"dose": 1})])
    group.write([Delete(Key("Herb", "Sage"))])
    group.set_schema("open")
    group.write([PutConcept("Anything", "goes")])


def test_an_unknown_mode_is_refused(nexus: recollect.Nexus):
    with pytest.raises(RecollectError) as raised:
        nexus.set_schema("strikt")  # type: ignore[arg-type]
    assert raised.value.code is INVALID_ARGUMENT
    assert raised.value.known == ("strict",)


def test_opening_a_group_that_is_not_there_makes_none(nexus: recollect.Nexus):
    nexus.group("nobody").set_schema("open")
    assert "nobody" not in nexus.groups()


def test_the_mode_is_seen_at_once_by_all_and_stays(tmp_path: Path):
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus, recollect.open(path) as other:
        nexus.write([PutConcept("$ConceptType", "Drug")])
        asked = 'FIND(?d) WHERE { ?d {type: "Durg"} }'
        assert other.read(asked).notices
        outcomes: list[str] = []
        nexus.set_schema("strict")

        def read() -> None:
            for one in (nexus, other):
                try:
                    one.read(asked)
                except RecollectError as error:
                    outcomes.append(error.code.code)

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        assert outcomes == ["KIP_2001", "KIP_2001"]
        other.set_schema("open")
        assert nexus.read(asked).notices
        nexus.set_schema("strict")
    with recollect.open(path) as nexus:
        assert nexus.declared.schema().mode == "strict"


def test_a_dump_carries_the_mode(nexus: recollect.Nexus):
    dump = BytesIO()
    nexus.dump(dump)
    with recollect.open(":memory:") as copy:
        copy.restore(BytesIO(dump.getvalue()))
        assert copy.declared.schema() == nexus.declared.schema()
        again = BytesIO()
        copy.dump(again)
        assert again.getvalue() == dump.getvalue()
        with pytest.raises(RecollectError):
            copy.write([PutConcept("Durg", "A")])


def test_a_dump_with_another_mode_is_refused(nexus: recollect.Nexus):
    dump = BytesIO()
    nexus.dump(dump)
    forged = dump.getvalue().replace(b'{"schema":"strict"}', b'{"schema":"lax"}')
    assert forged != dump.getvalue()
    with recollect.open(":memory:") as copy, pytest.raises(RecollectError) as raised:
        copy.restore(BytesIO(forged))
    assert raised.value.code is INVALID_ARGUMENT


def test_a_dropped_group_comes_back_open(nexus: recollect.Nexus):
    nexus.drop_group("default")
    nexus.write([PutConcept("Durg", "A")])
    assert nexus.declared.schema().mode == "open"


def test_a_search_takes_as_much_in_a_strict_group_once_its_names_are_known(tmp_path: Path) -> None:
    steps = dict[SchemaMode, int]()
    for mode in get_args(SchemaMode):
        with recollect.open(tmp_path / mode) as nexus:
            nexus.write(SCHEMA)
            nexus.write([PutConcept("Drug", "Aspirin", {"dose": 500})])
            nexus.set_schema(mode)
        with recollect.open(tmp_path / mode) as nexus:
            steps[mode] = nexus.explain('SEARCH CONCEPT "aspirin" WITH TYPE "Drug"').steps
    assert steps["strict"] == steps["open"]
