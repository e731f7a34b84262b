"""The card a model gets in its prompt is short, whole and true."""

from __future__ import annotations

from importlib.resources import as_file, files

import pytest
from tests.faces.kip.examples import Example, read_examples

from recollect.faces.kip import execute_kip, syntax_card
from recollect.kernel import Nexus, parse


def card_examples() -> list[Example]:
    with as_file(files("recollect.kernel.lang").joinpath("syntax_card.md")) as path:
        return read_examples(path)


def rows(nexus: Nexus, command: str) -> list[list[object]]:
    return execute_kip(nexus, command)["result"]["rows"]


def test_the_card_fits_a_prompt() -> None:
    assert len(syntax_card().encode()) <= 5120


@pytest.mark.parametrize("example", card_examples(), ids=lambda one: f"line-{one.line}")
def test_every_example_of_the_card_is_kip(example: Example) -> None:
    assert parse(example.command).statements


def test_every_example_of_the_card_runs(medicine: Nexus) -> None:
    for example in card_examples():
        assert set(example.run(medicine)) == {"result"}, example.command


def test_the_queries_of_the_card_find_something(medicine: Nexus) -> None:
    results = [one.run(medicine)["result"] for one in card_examples()]
    found = [result["rows"] for result in results if "rows" in result]
    assert len(found) == 5
    assert all(found)


def test_the_card_repeats_a_shared_prefix_in_its_union(medicine: Nexus) -> None:
    (union,) = (one for one in card_examples() if "UNION" in one.command)
    assert union.run(medicine)["result"]["rows"] == [["Aspirin"], ["Paracetamol"]]
    assert union.command.count('?drug {type: "Drug"}') == 2


def test_what_the_card_writes_is_there_and_then_is_gone(medicine: Nexus) -> None:
    naproxen = (
        'FIND(COUNT(?link) AS ?links) WHERE { ?link ({name: "Naproxen"}, ?predicate, ?what) }'
    )
    counts = []
    for example in card_examples():
        example.run(medicine)
        if "UPSERT" in example.command or "DELETE" in example.command:
            counts += rows(medicine, naproxen)
    assert counts == [[3], [3], [2], [0]]


def test_the_card_names_every_word_of_the_language() -> None:
    words = (
        "FIND WHERE ATTR META FILTER NOT OPTIONAL UNION ORDER LIMIT OFFSET COUNT COLLECT SUM AVG "
        "MIN MAX DISTINCT CONTAINS STARTS_WITH ENDS_WITH REGEX IN IS_NULL IS_NOT_NULL UPSERT "
        "CONCEPT PROPOSITION DELETE DETACH DESCRIBE PRIMER DOMAINS SEARCH EXPLAIN null parameters "
        "UPDATE ADD MUL CLAMP COALESCE MERGE INTO EXPORT CURSOR EXPECT VERSION attributes metadata"
    )
    assert [word for word in words.split() if word not in syntax_card()] == []
