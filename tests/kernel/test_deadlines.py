"""The seconds of a text hold for all of its work, not for the engine's alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.errors import RecollectError
from recollect.kernel import Nexus, parse_text
from recollect.kernel.plan.ir import MOST_TESTS
from recollect.kernel.store.functions import MOST_PATTERN, MOST_SEARCHED
from recollect.model import Limits, PutConcept

AT_ONCE = Limits(max_seconds=0)
FIND = 'FIND(?x) WHERE { ?x {type: "T"} }'
MATCHING = 'FIND(?x) WHERE { ?x {type: "T"} ATTR(?x, "text", ?t) FILTER(REGEX(?t, $p)) }'


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with Nexus.open(":memory:") as nexus:
        nexus.group("decoy").write([PutConcept("T", "a", {"text": "b"})])
        nexus.write([PutConcept("T", "a", {"text": "b"})])
        yield nexus


def refused(nexus: Nexus, text: str, parameters=None, limits: Limits | None = None):
    with pytest.raises(RecollectError) as caught:
        nexus.read(text, parameters, limits=limits)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        FIND,
        "\n".join([FIND] * 20_000),
        f"{FIND[:-1]}FILTER({' && '.join(['?x == ?x'] * 20_000)}) }}",
        "FIND(?x) WHERE { " + '?x {type: "T"} ' * 500 + "}",
        "SEARCH 'x",
    ],
    ids=["one", "statements", "conditions", "clauses", "a slip"],
)
def test_a_text_is_not_parsed_beyond_its_seconds(nexus: Nexus, text: str) -> None:
    assert refused(nexus, text, limits=AT_ONCE).code.code == "KIP_4001"


def test_a_text_that_writes_is_not_parsed_beyond_its_seconds() -> None:
    with Nexus.open(":memory:", limits=AT_ONCE) as nexus:
        text = 'UPSERT { CONCEPT @a { {type: "T", name: "a"} } }'
        with pytest.raises(RecollectError) as caught:
            nexus.write(text)
        assert caught.value.code.code == "KIP_4001"


def test_the_statements_of_a_text_share_its_seconds(nexus: Nexus) -> None:
    nexus.read(FIND)  # its tree is remembered, so that nothing is parsed
    parse_text(f"{FIND}\n{FIND}", nexus.limits)
    error = refused(nexus, f"{FIND}\n{FIND}", limits=AT_ONCE)
    assert (error.code.code, error.details) == ("KIP_4001", {"seconds": 0})


def test_more_conditions_than_the_engine_takes_are_refused(nexus: Nexus) -> None:
    joined = " && ".join(f"?x.attributes.text != {at}" for at in range(MOST_TESTS))
    assert len(nexus.read(f"{FIND[:-1]}FILTER({joined}) }}").results[0].rows) == 1  # type: ignore[union-attr]
    error = refused(nexus, f"{FIND[:-1]}FILTER({joined} && !(?x.attributes.text == 1)) }}")
    assert error.code.code == "KIP_4002"
    assert "IN(" in error.hint


def test_a_pattern_that_takes_long_to_compile_is_refused(nexus: Nexus) -> None:
    assert nexus.read(MATCHING, {"p": "b?" * (MOST_PATTERN // 2)}).results[0].rows  # type: ignore[union-attr]
    error = refused(nexus, MATCHING, {"p": "b?" * 50_000})
    assert error.code.code == "KIP_4002"


def test_a_long_pattern_is_not_looked_for_in_a_very_long_text(nexus: Nexus) -> None:
    pattern = "(a|b)*" * 300
    nexus.write([PutConcept("T", "long", {"text": "b" * (MOST_SEARCHED // 300)})])
    assert refused(nexus, MATCHING, {"p": pattern}).code.code == "KIP_4002"
    assert len(nexus.read(MATCHING, {"p": "^b+$"}).results[0].rows) == 2  # type: ignore[union-attr]


def test_searches_end_with_the_seconds(nexus: Nexus) -> None:
    """A hundred searches are fewer steps than the engine takes before it asks."""
    text = "b" * 2_000
    nexus.write([PutConcept("T", f"n{at}", {"text": text}) for at in range(100)])
    error = refused(nexus, MATCHING, {"p": "(a|b)*" * 300}, Limits(max_seconds=0.2))
    assert error.code.code == "KIP_4001"
