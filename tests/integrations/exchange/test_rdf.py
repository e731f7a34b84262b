"""RDF comes in as concepts, facts and attributes, and goes out as the RDF it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.namespace import RDF, RDFS, XSD
from tests.integrations.exchange.conftest import (
    Write,
    elements,
    exported,
    rows,
    twice_is_once,
    words_found,
)

import recollect
from recollect.errors import RecollectError
from recollect.integrations.exchange import take_in
from recollect.kernel import Nexus
from recollect.model import PutConcept

TURTLE = """\
@prefix : <http://example.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

:ann a foaf:Person ; foaf:name "Ann Lee" ; :age 40 ; :born "1984-05-01"^^xsd:date ;
    rdfs:comment "chercheuse"@fr, "researcher"@en ; :worksAt :acme ; foaf:knows [ a foaf:Person ; foaf:name "Bob" ] .
:acme a :Firm ; rdfs:label "Acme" .
<http://other.org/acme> a :Firm ; rdfs:label "ACME" .
<https://example.net/doc> :cites :ann .
"""

RECOLLECT = "urn:recollect:"


def graph(path: Path) -> Graph:
    return Graph().parse(data=path.read_bytes(), format="turtle")


def foreign(found: Graph) -> Graph:
    """The triples that are not a memory's own, nor about links."""
    kept = Graph()
    about = set(found.subjects(RDF.type, RDF.Statement))
    for triple in found:
        if triple[0] not in about and not str(triple[1]).startswith(RECOLLECT):
            kept.add(triple)
    return kept


def test_turtle_becomes_concepts_facts_and_attributes(nexus: Nexus, write: Write) -> None:
    report = twice_is_once(nexus, write("people.ttl", TURTLE))
    assert report.format == "turtle"
    assert rows(nexus, 'FIND(?a.name, ?b.name) WHERE { (?a, "worksAt", ?b) }') == [
        ("Ann Lee", "http://example.org/acme")  # two firms are called so, but for their case
    ]
    said = 'FIND(?p.id, ?p.attributes.age, ?p.attributes.born) WHERE { ?p {type: "Person", name: "Ann Lee"} }'
    assert rows(nexus, said) == [("http://example.org/ann", 40, "1984-05-01")]
    assert words_found(nexus, "who works") == ["Ann Lee works at Acme"]
    assert rows(nexus, 'FIND(?a.name) WHERE { (?x, "knows", ?a) }') == [("Bob",)]
    assert rows(nexus, 'FIND(?d.type, ?d.name) WHERE { (?d, "cites", ?x) }') == [("Entity", "doc")]


@pytest.mark.parametrize("format", ["turtle", "ntriples"])
def test_what_came_from_rdf_goes_out_as_it_was(
    nexus: Nexus, write: Write, tmp_path: Path, format: str
) -> None:
    path = write("people.ttl", TURTLE)
    take_in(nexus, path)
    out = graph(exported(nexus, tmp_path / f"out.{format}", format))
    assert isomorphic(foreign(out), graph(path))


@pytest.mark.parametrize("format", ["turtle", "ntriples"])
def test_an_export_makes_the_same_memory_again(
    nexus: Nexus, write: Write, tmp_path: Path, format: str
) -> None:
    take_in(nexus, write("people.ttl", TURTLE))
    nexus.write(
        """UPSERT {
          CONCEPT @d { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk: 2, tags: ["b", "a"], more: {x: [null, 1.5]}, no: null, yes: true } }
          CONCEPT @s { {type: "Symptom", name: "Head ache <x>"} }
          PROPOSITION @l { (@d, "treats", @s) }
          PROPOSITION @m { ({type: "Person", name: "Ann Lee"}, "says", @l) } WITH METADATA { valid_from: "2020-01-01" }
          PROPOSITION @n { (@d, "is_a", @d) SET ATTRIBUTES { note: "quote \\" and \\n line" } }
        }"""
    )
    path = exported(nexus, tmp_path / f"out.{format}", format)
    with recollect.open(":memory:") as other:
        twice_is_once(other, path, format=format)
        assert elements(other) == elements(nexus)
        again = exported(other, tmp_path / "again", format)
        assert isomorphic(graph(again), graph(path))


@pytest.mark.parametrize("format", ["turtle", "ntriples"])
def test_names_of_white_space_come_back(nexus: Nexus, tmp_path: Path, format: str) -> None:
    nexus.write([PutConcept("T", name) for name in (" ", "\t", "\r\n", "\x85", "\u2028")])
    path = exported(nexus, tmp_path / f"out.{format}", format)
    with recollect.open(":memory:") as other:
        take_in(other, path, format=format)
        assert elements(other) == elements(nexus)


def test_a_reified_triple_is_a_fact_with_what_is_said_of_it(nexus: Nexus, write: Write) -> None:
    text = """
    @prefix : <http://example.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    :a :knows :b .
    :s a rdf:Statement ; rdf:subject :a ; rdf:predicate :knows ; rdf:object :b ;
       :certainty 0.5e0 ; :saidBy :c .
    """
    twice_is_once(nexus, write("r.ttl", text))
    found = (
        'FIND(?l.attributes.certainty, ?c.name) WHERE { ?l (?a, "knows", ?b) (?l, "saidBy", ?c) }'
    )
    assert rows(nexus, found) == [(0.5, "c")]


def test_triples_that_stand_on_one_another_are_told(nexus: Nexus, write: Write) -> None:
    text = """
    @prefix : <http://example.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    :s a rdf:Statement ; rdf:subject :t ; rdf:predicate :p ; rdf:object :a .
    :t a rdf:Statement ; rdf:subject :s ; rdf:predicate :p ; rdf:object :a .
    """
    report = twice_is_once(nexus, write("r.ttl", text))
    assert [(one.reason, one.records) for one in report.skipped] == [
        ("a reified triple that stands on itself", 2)
    ]


def test_any_iri_may_stand_anywhere(nexus: Nexus, write: Write) -> None:
    own = ("element:", "term:", "metadata:", "metadata:x", "key", "")
    iris = [f"<urn:recollect:{one}>" for one in own]
    said = [f'{one} {other} {third}, "x" .' for one in iris for other in iris for third in iris]
    twice_is_once(nexus, write("r.ttl", "\n".join(said)))


def test_lines_and_places_of_faults_are_named(nexus: Nexus, write: Write) -> None:
    for name, text, line in (
        ("bad.nt", "<http://a> <http://b> <http://c> .\nnothing\n", 2),
        ("bad.ttl", "@prefix : <http://a/> .\n:a :b :c .\n:a x:b :c .\n", 3),
        ("deep.ttl", f"<http://a> <http://b> {'[' * 5000}", 1),
        ("var.ttl", "<http://a> <http://b> ?x .", 1),
    ):
        with pytest.raises(RecollectError, match=f"line {line} cannot be imported"):
            take_in(nexus, write(name, text))
    assert nexus.stats().transactions == 0
    assert take_in(
        nexus, write("half.nt", "<http://a> <http://b> <http://c> .\nx\n"), skip_bad=True
    ).created


@pytest.mark.parametrize("name", ["a.rdf", "a.xml", "a.jsonld", "a.owl"])
def test_formats_that_could_fetch_or_expand_are_refused(
    nexus: Nexus, write: Write, name: str
) -> None:
    text = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    for path in (write(name, text), write("other", text)):
        with pytest.raises(RecollectError, match="cannot be read"):
            take_in(nexus, path)


def test_literals_are_not_interpreted(nexus: Nexus, write: Write) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a \\"ha\\"><!ENTITY b \\"&a;&a;\\">]><x>&b;</x>'
    text = f'<http://a> <http://b> "{bomb}"^^<{RDF.XMLLiteral}> .\n'
    take_in(nexus, write("x.nt", text))
    take_in(nexus, write("x.ttl", text))
    (found,) = rows(nexus, 'FIND(?a.attributes.b) WHERE { ?a {name: "a"} }')
    assert "&b;" in str(found[0])


IRIS = st.sampled_from(
    [URIRef(f"http://example.org/{name}") for name in ("a", "b", "c", "Ä", "d#e")]
)
BLANKS = st.sampled_from([BNode("x"), BNode("y"), BNode("z")])
PROPERTIES = st.sampled_from(
    [URIRef(f"http://example.org/{name}") for name in ("p", "q")]
    + [URIRef("http://other.org/p"), RDFS.label, RDF.type]
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
LITERALS = st.one_of(
    TEXTS.map(Literal),
    st.tuples(TEXTS, st.sampled_from(["en", "fr", "de-at"])).map(
        lambda one: Literal(one[0], lang=one[1])
    ),
    st.integers(-5, 5).map(lambda one: Literal(str(one), datatype=XSD.integer)),
    st.sampled_from(["2020-01-01", "soon"]).map(lambda one: Literal(one, datatype=XSD.date)),
    st.booleans().map(lambda one: Literal(str(one).lower(), datatype=XSD.boolean)),
)
TRIPLES = st.lists(
    st.tuples(st.one_of(IRIS, BLANKS), PROPERTIES, st.one_of(IRIS, BLANKS, LITERALS)), max_size=12
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(triples=TRIPLES)
def test_any_graph_goes_through_a_memory(
    tmp_path_factory: pytest.TempPathFactory, triples: list
) -> None:
    triples = [one for one in triples if one[1] != RDF.type or isinstance(one[2], URIRef)]
    folder = tmp_path_factory.mktemp("rdf")
    wanted = Graph()
    for triple in triples:
        wanted.add(triple)
    path = folder / "in.nt"
    path.write_bytes(wanted.serialize(format="nt", encoding="utf-8"))
    with recollect.open(":memory:") as nexus:
        twice_is_once(nexus, path)
        assert isomorphic(foreign(graph(exported(nexus, folder / "out.nt", "ntriples"))), wanted)
