"""What a query may cost, and what a large one is answered with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Limits, Nexus, RecollectError
from recollect.model import Rows

CAPSULE = """
UPSERT {
  CONCEPT @a { {type: "T", name: "a"} SET ATTRIBUTES { k: 5, big: 1e308 } }
  CONCEPT @b { {type: "T", name: "b"} SET ATTRIBUTES { big: 1e308 } SET PROPOSITIONS { ("p", @a) } }
}
"""


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        nexus.write(CAPSULE)
        yield nexus


def names(nexus: Nexus, where: str, parameters: dict[str, object] | None = None) -> list[object]:
    text = f'FIND(?n) WHERE {{ ?a {{type: "T"}} ATTR(?a, "name", ?n) {where} }}'
    (result,) = nexus.read(text, parameters).results  # type: ignore[arg-type]
    assert isinstance(result, Rows)
    return [row[0] for row in result.rows]


def refused(nexus: Nexus, text: str, limits: Limits | None = None) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        nexus.read(text, limits=limits)
    return caught.value


def test_twenty_five_optionals_are_answered(nexus: Nexus) -> None:
    blocks = " ".join(f'OPTIONAL {{ (?a, "p", ?x{at}) (?x{at}, "p", ?y{at}) }}' for at in range(25))
    assert names(nexus, blocks) == ["a", "b"]


def test_forty_negated_paths_are_answered(nexus: Nexus) -> None:
    blocks = " ".join(f'NOT {{ (?a, "p"{{1,3}}, {{name: "z{at}"}}) }}' for at in range(40))
    assert names(nexus, blocks) == ["a", "b"]


def test_a_list_of_ten_thousand_names_is_one_parameter(nexus: Nexus) -> None:
    wanted = [f"n{at}" for at in range(10_000)] + ["b"]
    assert names(nexus, "FILTER(IN(?n, $wanted))", {"wanted": wanted}) == ["b"]


def test_a_thousand_alternatives_of_a_filter_are_answered(nexus: Nexus) -> None:
    tests = " || ".join(f'?n == "n{at}"' for at in range(2_000))
    assert names(nexus, f'FILTER({tests} || ?n == "a")') == ["a"]


def test_a_text_that_multiplies_is_refused_before_it_is_compiled(nexus: Nexus) -> None:
    inner = '?a {type: "T"}'
    for _ in range(3):
        inner = '?a {type: "T"} ' + 'UNION { ?a {type: "T"} } ' * 20 + f"OPTIONAL {{ {inner} }}"
    error = refused(nexus, f"FIND(?a) WHERE {{ {inner} }}")
    assert (error.code.code, error.details) == ("KIP_4002", {"steps": 1_000})
    assert error.span is not None


def test_what_collect_gathers_counts_as_rows(nexus: Nexus) -> None:
    product = 'FIND(COLLECT(?b) AS ?all) WHERE { ?a {type: "T"} ?b {type: "T"} }'
    assert refused(nexus, product, Limits(max_rows=3)).code.code == "KIP_4002"
    assert nexus.read(product, limits=Limits(max_rows=4)).results


def test_a_sum_beyond_the_range_of_numbers_is_refused(nexus: Nexus) -> None:
    for function in ("SUM(?v)", "AVG(?v)", "SUM(DISTINCT ?v)"):
        text = f'FIND({function} AS ?s) WHERE {{ ?a {{type: "T"}} ATTR(?a, "big", ?v) }}'
        if "DISTINCT" in function:  # one value, once
            assert nexus.read(text).results
        else:
            assert refused(nexus, text).code.code == "KIP_2003"


def test_keys_are_read_as_they_were_written() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write(
            'UPSERT { CONCEPT @a { {type: "T", name: "a"} SET ATTRIBUTES { "e\u0301": 1 } } }'
        )
        assert names(nexus, 'ATTR(?a, "e\u0301", ?v) FILTER(?v == 1)') == ["a"]
        assert names(nexus, 'ATTR(?a, "\u00e9", ?v) FILTER(?v == 1)') == []


def test_an_element_with_a_given_id_answers_to_that_id_alone() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write('UPSERT { CONCEPT @a { {type: "T", name: "a"} } }')
        made = nexus.read('FIND(?a) WHERE { ?a {type: "T"} }').results[0]
        assert isinstance(made, Rows)
        computed = made.rows[0][0].id  # type: ignore[union-attr]
        nexus.write('DELETE CONCEPT {type: "T", name: "a"} DETACH')
        nexus.write('UPSERT { CONCEPT @a { {type: "T", name: "a", id: "given"} } }')
        assert names(nexus, f'?a {{id: "{computed}"}}') == []
        assert names(nexus, '?a {id: "given"}') == ["a"]
