"""Every KIP block of the language reference runs and answers what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.kip.examples import check, read_examples

from recollect.faces.kip import execute_kip
from recollect.kernel import Nexus

FOLDER = Path(__file__).parents[3].joinpath("docs", "kip")
PAGES = sorted(FOLDER.glob("*.md"))
RUNNABLE = [page for page in PAGES if read_examples(page)]


PLANS = pytest.mark.sqlite_only("shows the steps of SQLite's plans")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[PLANS] if page.stem == "explain" else [])
        for page in RUNNABLE
    ],
)
def test_the_examples_of_a_page_run_in_order(page: Path, medicine: Nexus) -> None:
    for example in read_examples(page):
        try:
            check(example, example.run(medicine))
        except AssertionError as error:
            error.add_note(f"{page.name}, line {example.line}")
            raise


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = FOLDER.joinpath("README.md").read_text("utf-8")
    missing = [page.name for page in PAGES if f"({page.name})" not in contents]
    assert missing == ["README.md"]


def test_the_reference_names_every_word_of_the_language() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    words = (
        "FIND WHERE ATTR META FILTER NOT OPTIONAL UNION CONTAINS STARTS_WITH ENDS_WITH REGEX IN "
        "IS_NULL IS_NOT_NULL COUNT COLLECT SUM AVG MIN MAX DISTINCT AS ORDER LIMIT OFFSET UPSERT "
        "CONCEPT PROPOSITION SET ATTRIBUTES PROPOSITIONS METADATA DELETE DETACH FROM DESCRIBE "
        "PRIMER DOMAINS TYPES SEARCH EXPLAIN"
    )
    assert [word for word in words.split() if word not in text] == []


def test_an_example_that_lies_is_caught(medicine: Nexus) -> None:
    response = execute_kip(medicine, 'FIND(?n) WHERE { ?d {name: "Aspirin"} ATTR(?d, "name", ?n) }')
    lie = read_examples(FOLDER / "paths.md")[1]
    with pytest.raises(AssertionError):
        check(lie, response)
