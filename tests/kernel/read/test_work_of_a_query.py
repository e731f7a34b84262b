"""What a query takes does not grow with what cannot change its answer; told by counters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import AsOf, Limits, Nexus
from recollect.kernel.store.sqlite.connection import STEPS_A_TICK
from recollect.model import Delete, Key, PutConcept, PutLink, Rows

IN_A_CYCLE = 600


@pytest.fixture(scope="module")
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        for group in (nexus.group("decoy"), nexus):
            group.write([PutConcept("N", str(at), {"a": at}) for at in range(IN_A_CYCLE)])
            group.write(
                [
                    PutLink(Key("N", str(at)), "next", Key("N", str((at + 1) % IN_A_CYCLE)))
                    for at in range(IN_A_CYCLE)
                ]
            )
        yield nexus


def rows(nexus: Nexus, text: str, as_of: AsOf | None = None) -> list[tuple[object, ...]]:
    (found,) = nexus.read(text, as_of=as_of, limits=Limits(max_steps=60 * STEPS_A_TICK)).results
    assert isinstance(found, Rows)
    return list(found.rows)


def walked(bounds: str) -> str:
    return f'FIND(COUNT(DISTINCT ?b) AS ?n) WHERE {{ ({{name: "7"}}, "next"{bounds}, ?b) }}'


@pytest.mark.parametrize("least", [0, 1, 3])
def test_a_path_with_room_for_every_link_takes_what_one_without_end_takes(
    nexus: Nexus, least: int
) -> None:
    for as_of in (None, AsOf(transaction=2)):
        far = walked(f"{{{least},100000000}}")
        assert rows(nexus, far, as_of) == rows(nexus, walked(f"{{{least},}}"), as_of)
    steps, endless = (nexus.explain(one).steps for one in (far, walked(f"{{{least},}}")))
    if steps is not None and endless is not None:  # a server counts none
        assert steps < 10 * endless + 1_000


def test_a_path_with_room_for_almost_every_link_ends_where_it_says(nexus: Nexus) -> None:
    assert rows(nexus, walked(f"{{1,{IN_A_CYCLE - 1}}}")) == [(IN_A_CYCLE - 1,)]
    assert rows(nexus, walked(f"{{1,{IN_A_CYCLE}}}")) == [(IN_A_CYCLE,)]
    assert rows(nexus, walked("{0,70}")) == [(71,)]


def test_links_of_the_past_are_counted_as_they_were_then() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("N", str(at)) for at in range(100)])
        made = nexus.write(
            [PutLink(Key("N", str(at)), "next", Key("N", str(at + 1))) for at in range(99)]
        )
        nexus.write([Delete(one) for one in made.results[0].ids[1:]])  # type: ignore[union-attr]
        text = walked("{1,80}").replace('"7"', '"0"')
        assert rows(nexus, text) == [(1,)]
        assert rows(nexus, text, AsOf(transaction=2)) == [(80,)]


def test_what_a_transaction_has_not_committed_is_walked_too() -> None:
    with recollect.open(":memory:") as nexus:
        chain = " ".join(
            f'CONCEPT @n{at} {{ {{type: "N", name: "{at}"}}'
            f' SET PROPOSITIONS {{ ("next", @n{at + 1}) }} }}'
            for at in range(90)
        )
        last = 'CONCEPT @n90 { {type: "N", name: "90"} }'
        text = walked("{1,80}").replace('"7"', '"0"')
        answer = nexus.write(f"UPSERT {{ {chain} {last} }} {text}")
        assert answer.results[1].rows == [(80,)]  # type: ignore[union-attr]


APART = " ".join(f'(?a{at}, "next", ?b{at})' for at in range(6))


def test_what_nothing_shown_is_joined_to_is_looked_for_once(nexus: Nexus) -> None:
    assert len(rows(nexus, f'FIND(?x) WHERE {{ ?x {{type: "N"}} {APART} }} LIMIT 1')) == 1
    assert rows(nexus, f'FIND(?n) WHERE {{ ?x {{name: "3"}} ATTR(?x, "a", ?n) {APART} }}') == [(3,)]
    assert len(
        rows(nexus, f'FIND(?x) WHERE {{ ?x {{type: "N"}} NOT {{ ?x {{name: "3"}} {APART} }} }}')
    ) == (IN_A_CYCLE - 1)


def test_what_is_not_there_leaves_nothing_whatever_is_shown(nexus: Nexus) -> None:
    missing = '(?c, "next", {name: "none"})'
    assert rows(nexus, f'FIND(?x) WHERE {{ ?x {{type: "N"}} {APART} {missing} }}') == []
    assert rows(nexus, f'FIND(?x) WHERE {{ ?x {{name: "3"}} OPTIONAL {{ {missing} {APART} }} }}')


def test_a_count_is_of_all_solutions(nexus: Nexus) -> None:
    both = '?x {name: "3"} (?a, "next", ?b)'
    assert rows(nexus, f"FIND(COUNT(?x) AS ?n) WHERE {{ {both} }}") == [(IN_A_CYCLE,)]
    assert rows(nexus, f"FIND(COUNT(DISTINCT ?x) AS ?n) WHERE {{ {both} }}") == [(1,)]


def test_a_reason_names_what_was_only_looked_for(nexus: Nexus) -> None:
    reasons = nexus.why('FIND(?x) WHERE { ?x {name: "3"} ({name: "8"}, "next", ?b) }')
    assert {name for one in reasons.grounds for name in one.names} >= {"x", "b"}
