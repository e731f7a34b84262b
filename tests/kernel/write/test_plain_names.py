"""Plain names: what one means, what is made for one, and what becomes of it when it is known."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.model import (
    AsOf,
    BatchReport,
    Change,
    Concept,
    Key,
    Link,
    Local,
    Named,
    PutConcept,
    PutFact,
    PutLink,
    Retype,
    Rows,
)


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    """A memory beside a decoy that holds the same names, and keeps them."""
    with recollect.open(":memory:", "decoy") as decoy:
        decoy.write([PutConcept("Person", "Maria Lopez"), PutConcept("Cat", "Maria Lopez")])
        before = decoy.verify().head
        yield decoy.group("main")
        assert decoy.verify().head == before
        assert decoy.group("main").verify().is_whole
        assert decoy.doctor().is_well


def meant(nexus: recollect.Nexus, name: str, **asked: object) -> list[tuple[str, str, str]]:
    found = nexus.elements.named(name, **asked)  # type: ignore[arg-type]
    return [(one.element.type, one.element.name, one.by) for one in found]


def types_called(nexus: recollect.Nexus, name: str, as_of: AsOf | None = None) -> list[str]:
    (rows,) = nexus.read(
        "FIND(?x.type) WHERE { ?x {name: $name} }", {"name": name}, as_of=as_of
    ).results
    assert isinstance(rows, Rows)
    return sorted(str(one) for (one,) in rows.rows)


def links_to(nexus: recollect.Nexus, id: str) -> list[Link]:
    (rows,) = nexus.read("FIND(?l) WHERE { ?l (?x, ?p, {id: $id}) }", {"id": id}).results
    assert isinstance(rows, Rows)
    return [one for (one,) in rows.rows if isinstance(one, Link)]


def test_a_name_as_it_is_written_comes_before_another_spelling_and_that_before_an_alias(
    nexus: recollect.Nexus,
) -> None:
    nexus.write([PutConcept("Company", "ACME Corp", {"aliases": ["Acme", "The Acme"]})])
    assert meant(nexus, "ACME Corp") == [("Company", "ACME Corp", "name")]
    assert meant(nexus, "acme  corp") == [("Company", "ACME Corp", "spelling")]
    assert meant(nexus, "the acme") == [("Company", "ACME Corp", "alias")]
    nexus.write([PutConcept("Dog", "acme"), PutConcept("Band", "The Acme")])
    assert meant(nexus, "Acme") == [("Dog", "acme", "spelling")]
    assert meant(nexus, "The Acme") == [("Band", "The Acme", "name")]
    assert meant(nexus, "Corp") == []
    assert meant(nexus, "?") == []


def test_the_alias_of_a_node_is_found_though_only_its_summary_is_searched(
    nexus: recollect.Nexus,
) -> None:
    said = {"search_attributes": ["summary"]}
    nexus.write([PutConcept("Entity", "International Acme", {"aliases": "Acme Ltd"}, said)])
    assert meant(nexus, "acme ltd") == [("Entity", "International Acme", "alias")]


def test_what_faces_own_and_definitions_and_shelves_are_never_meant(
    nexus: recollect.Nexus,
) -> None:
    for type in ("Claim", "Episode", "KnowledgePiece", "Domain", "$ConceptType", "Node", "Tag"):
        nexus.write([PutConcept(type, "Rust")])
    assert meant(nexus, "Rust") == []
    nexus.write([PutConcept("Language", "Rust")])
    assert meant(nexus, "Rust") == [("Language", "Rust", "name")]


def test_several_of_one_name_are_told_apart(nexus: recollect.Nexus) -> None:
    nexus.write(
        [
            PutConcept("Person", "Jordan", {"description": "plays the drums"}),
            PutConcept("Country", "Jordan"),
            PutConcept("City", "Amman"),
            PutLink(Key("Country", "Jordan"), "has_capital", Key("City", "Amman")),
        ]
    )
    told = [one.detail for one in nexus.elements.named("Jordan")]
    assert told == ["Person, plays the drums", "Country, has_capital Amman"]
    assert meant(nexus, "Jordan", type="Country") == [("Country", "Jordan", "name")]


def test_a_name_means_what_it_meant_then(nexus: recollect.Nexus) -> None:
    nexus.write([PutConcept("Person", "Ann")])
    nexus.write('DELETE CONCEPT ?a DETACH WHERE { ?a {type: "Person", name: "Ann"} }')
    assert meant(nexus, "ann") == []
    assert meant(nexus, "ann", as_of=AsOf(transaction=1)) == [("Person", "Ann", "spelling")]


def test_a_fact_is_told_of_the_one_thing_of_that_name_whatever_its_type(
    nexus: recollect.Nexus,
) -> None:
    nexus.write([PutConcept("Person", "Maria Lopez")])
    nexus.write([PutFact(Named("maria lopez"), "works_at", Named("BMW"), "Maria is at BMW.")])
    assert types_called(nexus, "Maria Lopez") == ["Person"]
    assert types_called(nexus, "BMW") == ["Entity"]
    nexus.write([PutFact(Named("bmw"), "sits_in", Named("Munich"), "BMW sits in Munich.")])
    (rows,) = nexus.read('FIND(COUNT(?x)) WHERE { ?x {type: "Entity"} }').results
    assert isinstance(rows, Rows)
    assert rows.rows == [(2,)]


def test_names_of_one_batch_mean_what_the_batch_has_made(nexus: recollect.Nexus) -> None:
    nexus.write(
        [
            PutConcept("Person", "Zoe Adler"),
            PutFact(Named("zoe adler"), "knows", Named("Tom"), "Zoe knows Tom."),
            PutFact(Named("Tom"), "knows", Named("Zoe Adler"), "Tom knows Zoe."),
        ]
    )
    assert types_called(nexus, "Zoe Adler") == ["Person"]
    assert types_called(nexus, "Tom") == ["Entity"]


def test_a_name_of_several_things_is_asked_back(nexus: recollect.Nexus) -> None:
    nexus.write([PutConcept("Person", "Jordan"), PutConcept("Country", "Jordan")])
    with pytest.raises(RecollectError, match="means 2 concepts") as caught:
        nexus.write([PutFact(Named("Jordan"), "likes", Named("Tea"), "Jordan likes tea.")])
    assert caught.value.code.code == "KIP_3003"
    assert [one["type"] for one in caught.value.details["candidates"]] == ["Person", "Country"]
    assert types_called(nexus, "Tea") == []


def test_what_a_plain_name_made_becomes_what_it_is_said_to_be(nexus: recollect.Nexus) -> None:
    told = PutFact(Named("Maria Lopez"), "lives_in", Named("Munich"), "Maria lives in Munich.")
    (first,) = nexus.write([told]).results
    (maria,) = nexus.elements.named("Maria Lopez")
    person = Named("Maria Lopez", "Person")
    answer = nexus.write([PutFact(person, "works_at", Named("BMW"), "Maria is at BMW.")])
    assert [one.code for one in answer.notices] == ["kind_known"]
    (born,) = nexus.elements.named("Maria Lopez")
    assert (born.element.type, born.element.id) == ("Person", maria.element.id)
    (rows,) = nexus.read(
        'FIND(?p, ?o.name) WHERE { ({type: "Person", name: "Maria Lopez"}, ?p, ?o) }'
    ).results
    assert isinstance(rows, Rows)
    assert sorted(rows.rows) == [("lives_in", "Munich"), ("works_at", "BMW")]
    assert types_called(nexus, "Maria Lopez", AsOf(transaction=1)) == ["Entity"]
    fact = first.ids[0]  # type: ignore[union-attr]
    assert fact in nexus.elements.look_up([fact])
    lives = nexus.history(maria.element.id)
    assert [one.what.type for one in lives if isinstance(one.what, Key)] == ["Entity", "Person"]
    # The same again changes nothing more.
    again = nexus.write([PutFact(person, "works_at", Named("BMW"), "Maria is at BMW.")])
    assert again.transaction is None


def test_what_is_born_anew_is_meant_by_its_id_later_in_the_batch_and_what_it_was_is_not(
    nexus: recollect.Nexus,
) -> None:
    nexus.write([PutConcept("Person", "Jim"), PutLink(Named("Zoe"), "knows", Key("Person", "Jim"))])
    (zoe,) = nexus.elements.named("Zoe")
    became = PutLink(Named("Zoe", "Person"), "sees", Key("Person", "Jim"))
    with pytest.raises(RecollectError) as caught:
        nexus.write([became, PutLink(Key("Entity", "Zoe"), "likes", Key("Person", "Jim"))])
    assert caught.value.code.code == "KIP_3002"
    nexus.write([became, PutLink(zoe.element.id, "likes", Key("Person", "Jim"))])
    (rows,) = nexus.read('FIND(?p) WHERE { ?z {type: "Person", name: "Zoe"} (?z, ?p, ?o) }').results
    assert isinstance(rows, Rows)
    assert sorted(rows.rows) == [("knows",), ("likes",), ("sees",)]


def test_a_concept_that_is_born_anew_can_be_purged_by_its_id(nexus: recollect.Nexus) -> None:
    nexus.write([PutFact(Named("Maria"), "lives_in", Named("Munich"), "Maria lives in Munich.")])
    (maria,) = nexus.elements.named("Maria")
    nexus.write([Retype(maria.element.id, "Person")])
    again = nexus.purge(maria.element.id, dry_run=True)
    assert nexus.purge(Key("Person", "Maria")).concepts == again.concepts == 2
    assert types_called(nexus, "Maria", AsOf(transaction=1)) == []


def test_two_of_one_name_come_about_only_where_both_types_are_said(
    nexus: recollect.Nexus,
) -> None:
    nexus.write([PutConcept("Person", "Jordan")])
    change = PutFact(Named("Jordan", "Country"), "borders", Named("Iraq"), "They border.")
    answer = nexus.write([change])
    assert [one.code for one in answer.notices] == ["name_of_two"]
    assert types_called(nexus, "Jordan") == ["Country", "Person"]


BOTH = """UPSERT {
  CONCEPT @one { {type: "Person", name: "Jordan"} }
  CONCEPT @other { {type: "Country", name: "Jordan"} }
}"""


def test_kml_that_makes_a_second_of_a_name_says_so_once(nexus: recollect.Nexus) -> None:
    answer = nexus.write(BOTH)
    (told,) = answer.notices
    (jordan, country) = (one.element.id for one in nexus.elements.named("Jordan"))
    assert told.code == "name_of_two"
    assert told.message.startswith(f'{{type: "Country", name: "Jordan", id: "{country}"}} is new')
    assert f'{{type: "Person", name: "Jordan", id: "{jordan}"}}' in told.message
    assert nexus.write(BOTH).notices == ()
    later = nexus.write('UPSERT { CONCEPT @x { {type: "Person", name: "Ann"} } }')
    assert later.notices == ()


def test_a_dry_run_tells_of_a_second_of_a_name_too(nexus: recollect.Nexus) -> None:
    assert [one.code for one in nexus.write(BOTH, dry_run=True).notices] == ["name_of_two"]
    assert nexus.elements.named("Jordan") == ()


def test_a_second_of_a_name_that_was_said_without_a_type_can_be_made_one_with_it(
    nexus: recollect.Nexus,
) -> None:
    nexus.write([PutFact(Named("Ann"), "visits", Named("Rome"), "Ann visits Rome.")])
    (told,) = nexus.write('UPSERT { CONCEPT @x { {type: "City", name: "Rome"} } }').notices
    (rome, city) = (one.element.id for one in nexus.elements.named("Rome"))
    assert (told.code, told.hint) == (
        "name_of_two",
        f'correct with {{"id": "{rome}", "same_as": "{city}"}}',
    )
    recollect.Memory(nexus).correct(rome, same_as=city)
    assert types_called(nexus, "Rome") == ["City"]


def test_of_many_second_names_ten_are_told_and_how_many_more(nexus: recollect.Nexus) -> None:
    first: list[Change] = [PutConcept("Person", f"n{at}") for at in range(30)]
    assert nexus.write(first).notices == ()
    answer = nexus.write([PutConcept("Ship", f"n{at}") for at in range(25)])
    assert [one.code for one in answer.notices] == ["name_of_two"] * 10
    assert [one.message.endswith("; and 15 more") for one in answer.notices] == [
        *[False] * 9,
        True,
    ]


def test_what_a_face_owns_or_a_meta_type_declares_is_no_second_of_a_name(
    nexus: recollect.Nexus,
) -> None:
    nexus.write([PutConcept("Person", "Health"), PutConcept("Person", "Drug")])
    answer = nexus.write([PutConcept("Domain", "Health"), PutConcept("$ConceptType", "Drug")])
    assert answer.notices == ()
    assert nexus.write([Retype(nexus.elements.named("Health")[0].element.id, "Cat")]).notices == ()


def test_a_concept_is_of_another_type_with_all_that_was_said(nexus: recollect.Nexus) -> None:
    nexus.write(
        [
            PutConcept("Entity", "Rex", {"age": 3}, handle="rex"),
            PutFact(Named("Ann"), "owns", Named("Rex"), "Ann owns Rex.", handle="owns"),
        ]
    )
    (rex,) = nexus.elements.named("Rex")
    nexus.write([Retype(rex.element.id, "Dog")])
    (dog,) = nexus.elements.named("Rex")
    assert isinstance(dog.element, Concept)
    assert (dog.element.type, dict(dog.element.attributes)) == ("Dog", {"age": 3})
    with pytest.raises(RecollectError, match="is there already"):
        nexus.write([PutConcept("Cat", "Rex"), Retype(rex.element.id, "Cat")])


def test_a_concept_that_a_batch_makes_is_of_another_type_in_that_batch(
    nexus: recollect.Nexus,
) -> None:
    answer = nexus.write(
        [
            PutConcept("Entity", "Rex", {"age": 3}, handle="rex"),
            PutFact(Named("Ann"), "owns", Local("rex"), "Ann owns Rex."),
            Retype(Local("rex"), "Dog"),
            PutFact(Named("Bob"), "walks", Local("rex"), "Bob walks Rex."),
        ]
    )
    (report,) = answer.results
    assert isinstance(report, BatchReport)
    assert (report.created, report.updated, report.closed) == (5, 0, 0)
    (dog,) = nexus.elements.named("Rex")
    assert isinstance(dog.element, Concept)
    assert (dog.element.type, dict(dog.element.attributes)) == ("Dog", {"age": 3})
    assert report.ids[0] == report.ids[2] == dog.element.id
    assert sorted(one.predicate for one in links_to(nexus, dog.element.id)) == ["owns", "walks"]
    assert types_called(nexus, "Rex", AsOf(transaction=1)) == ["Dog"]


@pytest.mark.parametrize("is_fact", [True, False])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_change_that_names_what_it_gives_another_type_by_the_old_one_is_refused(
    nexus: recollect.Nexus, is_fact: bool, is_first: bool
) -> None:
    nexus.write([PutFact(Named("Zoe"), "knows", Named("Ann"), "Zoe knows Ann.")])
    ends = Key("Entity", "Zoe"), Named("Zoe", "Person")
    one, other = ends if is_first else ends[::-1]
    link = PutFact(one, "is", other, "Zoe is Zoe.") if is_fact else PutLink(one, "is", other)
    with pytest.raises(RecollectError, match=r'no concept matches .*"Entity", name: "Zoe"'):
        nexus.write([link])
    assert types_called(nexus, "Zoe") == ["Entity"]


@pytest.mark.parametrize("is_fact", [True, False])
def test_a_change_that_gives_another_type_goes_to_the_one_that_was_born_by_its_id(
    nexus: recollect.Nexus, is_fact: bool
) -> None:
    nexus.write([PutFact(Named("Zoe"), "knows", Named("Ann"), "Zoe knows Ann.")])
    (zoe,) = nexus.elements.named("Zoe")
    ends = zoe.element.id, Named("Zoe", "Person")
    first, second = ends
    link = PutFact(first, "is", second, "Zoe is.") if is_fact else PutLink(first, "is", second)
    nexus.write([link])
    assert types_called(nexus, "Zoe") == ["Person"]
    (found,) = links_to(nexus, zoe.element.id)
    assert (found.subject, found.object) == (zoe.element.id, zoe.element.id)


def test_a_bare_kernel_makes_nothing_for_a_plain_name() -> None:
    with recollect.Nexus.open(":memory:") as nexus, pytest.raises(RecollectError) as caught:
        nexus.write([PutFact(Named("Ann"), "knows", Named("Bob"), "Ann knows Bob.")])
    assert caught.value.code.code == "KIP_3002"
