"""What is too much is refused with a code and a way out, whatever asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.kernel.nexus import parsed
from recollect.model import AsOf, ElementKind, Instant, Key, Limits, PutConcept, PutLink

ACCENTS = "a" + "\u0315\u0300" * 40_000
MANY_ACCENTS = "a" + "\u0315\u0300" * 16


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with Nexus.open(":memory:") as nexus:
        nexus.write(
            'UPSERT { CONCEPT @a { {type: "T", name: "a"} SET PROPOSITIONS { ("p", @b) } }'
            ' CONCEPT @b { {type: "T", name: "b"} } }'
        )
        yield nexus


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(RecollectError) as caught:
        action()
    assert caught.value.hint
    return caught.value.code.code


def test_a_clause_that_is_repeated_says_nothing_more(nexus: Nexus) -> None:
    (rows,) = nexus.read("FIND(?x) WHERE { " + '?x {type: "T"} ' * 65 + "}").results
    assert len(rows.rows) == 2  # type: ignore[union-attr]


def test_a_clause_after_a_union_holds_for_its_rows_too(nexus: Nexus) -> None:
    once = '?x {type: "T", name: "a"}'
    query = f'FIND(?x) WHERE {{ {once} UNION {{ ?x {{type: "T"}} }} {once} }}'
    assert len(nexus.read(query).results[0].rows) == 1  # type: ignore[union-attr]


CHAIN = " ".join(
    f'OPTIONAL {{ (?b{at}, "p", ?b{at + 1}) ATTR(?b{at + 1}, "m", ?m{at}) FILTER(?m{at} != 1) }}'
    for at in range(20)
)
UNIONS = " ".join(
    f'UNION {{ ?x {{name: "{at}"}} }} OPTIONAL {{ (?x, "p"{{1,2}}, ?y{at}) FILTER(?y{at} != ?x) }}'
    for at in range(20)
)


def test_a_chain_of_twenty_optionals_is_answered_and_explained(nexus: Nexus) -> None:
    query = f'FIND(?a.name, ?b1.name, ?m19) WHERE {{ (?a, "p", ?b0) {CHAIN} }}'
    for as_of in (None, AsOf(valid=Instant(0), transaction=1)):
        (rows,) = nexus.read(query, as_of=as_of).results
        assert rows.rows == [("a", None, None)]  # type: ignore[union-attr]
        assert nexus.explain(query, as_of=as_of).sql
        assert len(nexus.why(query, as_of=as_of).grounds) == 3


@pytest.mark.parametrize(
    ("query", "fact", "split"),
    [
        (
            'FIND(?x) WHERE { ?x {type: "T"} '
            + " ".join(f'OPTIONAL {{ (?x, "p", ?y{at}) }}' for at in range(70))
            + "}",
            "more than 64 elements",
            "patterns or fields",
        ),
        (
            'FIND(?x) WHERE { ?x {type: "T"} ' + UNIONS + "}",
            "more than 1000 patterns",
            "UNION, OPTIONAL or NOT blocks",
        ),
        (
            "FIND("
            + ", ".join(f"?x.attributes.k{at}" for at in range(2_100))
            + ') WHERE { ?x {type: "T"} }',
            "more than 2000 columns",
            "columns",
        ),
        (
            'FIND(?x) WHERE { ?x {type: "T"} '
            + " ".join(f'UNION {{ ?x {{type: "T", name: "{at}"}} }}' for at in range(700))
            + "}",
            "more than 500 UNION blocks",
            "UNION blocks",
        ),
    ],
    ids=["elements", "patterns", "columns", "unions"],
)
def test_a_query_too_large_for_one_statement_is_told_what_to_ask_apart(
    nexus: Nexus, query: str, fact: str, split: str
) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.read(query)
    assert caught.value.code.code == "KIP_4002"
    assert fact in str(caught.value)
    assert caught.value.hint == f"ask for some of the {split} in another FIND"


def test_a_delete_of_too_much_is_not_told_to_use_a_limit(nexus: Nexus) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.write("DELETE PROPOSITIONS WHERE { ?l (?s, ?p, ?o) }", limits=Limits(max_rows=0))
    assert caught.value.code.code == "KIP_4002"
    assert "LIMIT" not in caught.value.hint


def test_a_search_returns_no_more_than_the_rows_allowed() -> None:
    with Nexus.open(":memory:", limits=Limits(max_rows=3)) as nexus:
        nexus.write([PutConcept("Fruit", f"apple {at}") for at in range(8)])
        hits = nexus.search("apple", limit=1_000).results[0]
        assert len(hits.hits) == 3  # type: ignore[union-attr]
        assert nexus.read('SEARCH "apple" LIMIT 1000').results == (hits,)


@pytest.mark.parametrize("text", ['SEARCH "word" LIMIT 5000', "DESCRIBE DOMAINS"])
def test_the_steps_of_a_text_are_limited_whatever_it_asks(text: str) -> None:
    with Nexus.open(":memory:") as nexus:
        nexus.write([PutConcept("Domain", f"word {at}") for at in range(3_000)])
        nexus.write([PutConcept("Other", f"word {at}") for at in range(3_000)])
        nexus.write(
            [
                PutLink(Key("Other", f"word {at}"), "belongs_to_domain", Key("Domain", "word 0"))
                for at in range(3_000)
            ]
        )
        assert nexus.read(text).results
        assert code_of(lambda: nexus.read(text, limits=Limits(max_steps=10_000))) == "KIP_4002"


def test_the_steps_of_all_queries_of_a_text_are_counted_together() -> None:
    with Nexus.open(":memory:", limits=Limits(max_steps=200_000)) as nexus:
        nexus.write([PutConcept("T", f"word {at}", {"at": at}) for at in range(1_000)])
        query = 'FIND(COUNT(?x)) WHERE { ?x {type: "T"} ATTR(?x, "at", ?n) FILTER(?n > 3) }\n'
        nexus.read(query)
        assert code_of(lambda: nexus.read(query * 100)) == "KIP_4002"


@pytest.mark.parametrize("name", [ACCENTS, MANY_ACCENTS, "x" * 4_097], ids=["", "short", "long"])
def test_a_name_that_no_language_has_is_refused_at_once(nexus: Nexus, name: str) -> None:
    started = time.monotonic()
    for action in (
        lambda: nexus.write([PutConcept("T", name)]),
        lambda: nexus.write([PutConcept(name, "x")]),
        lambda: nexus.write(f'UPSERT {{ CONCEPT {{ {{type: "T", name: "{name}"}} }} }}'),
        lambda: nexus.read(f'FIND(?x) WHERE {{ ?x {{type: "T", name: "{name}"}} }}'),
        lambda: nexus.read("FIND(?x) WHERE { ?x {name: $n} }", {"n": name}),
        lambda: nexus.read(f'DESCRIBE CONCEPT TYPE "{name}"'),
        lambda: nexus.history(name),
    ):
        assert code_of(action) == "KIP_1002"
    assert time.monotonic() - started < 5


def test_a_text_of_accents_is_stored_and_searched_in_no_time(nexus: Nexus) -> None:
    started = time.monotonic()
    nexus.write([PutConcept("T", "c", {"note": ACCENTS})])
    hits = nexus.search(ACCENTS, ElementKind.CONCEPT).results[0]
    assert [hit.element.name for hit in hits.hits] == ["a", "c"]  # type: ignore[union-attr]
    assert nexus.search("\uff9e" * 50_000).results
    assert code_of(lambda: nexus.group(ACCENTS)) == "INVALID_ARGUMENT"
    assert time.monotonic() - started < 5


def test_only_short_texts_that_read_are_remembered() -> None:
    limits = Limits()
    reads, writes = "DESCRIBE PRIMER", 'UPSERT { CONCEPT { {type: "T", name: "remembered"} } }'
    long = f'SEARCH "{"x" * 9_000}"'
    assert parsed(reads, limits) is parsed(reads, limits)
    assert parsed(writes, limits) is not parsed(writes, limits)
    assert parsed(long, limits) is not parsed(long, limits)
