"""A text that is asked again is answered without its tree, and never differently."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import recollect
from recollect.errors import RecollectError
from recollect.model import AsOf, Limits, Rows, Value

RISK = 'FIND(?r) WHERE {{ ?d {{type: "{}", name: "{}"}} ATTR(?d, "risk", ?r) }}'
BY_NAME = 'FIND(?r) WHERE { ?d {type: "Drug", name: $name} ATTR(?d, "risk", ?r) }'


def put(nexus: recollect.Nexus, name: str, risk: Value, type: str = "Drug") -> None:
    nexus.write(
        f'UPSERT {{ CONCEPT @a {{ {{type: "{type}", name: $name}}'
        " SET ATTRIBUTES { risk: $risk } } }",
        {"name": name, "risk": risk},
    )


def found(
    nexus: recollect.Nexus,
    text: str,
    parameters: Mapping[str, Value] | None = None,
    as_of: AsOf | None = None,
) -> Rows:
    (result,) = nexus.read(text, parameters, as_of=as_of).results
    assert isinstance(result, Rows)
    return result


def rows(nexus: recollect.Nexus, text: str, **parameters: Value) -> list[object]:
    return [*found(nexus, text, parameters).rows]


@pytest.fixture(params=["memory", "file"])
def nexus(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[recollect.Nexus]:
    """Return a small memory, beside a decoy group with other values."""
    address = ":memory:" if request.param == "memory" else tmp_path / "again.db"
    with recollect.open(address) as nexus:
        put(nexus.group("decoy"), "Aspirin", 9)
        put(nexus, "Aspirin", 1)
        put(nexus, "Cafeine", 2)
        put(nexus, "Café", 3)
        put(nexus, "Aspirin", 4, type="Note")
        yield nexus


def test_another_name_in_the_same_text_has_its_own_answer(nexus: recollect.Nexus) -> None:
    for _ in range(3):
        assert rows(nexus, RISK.format("Drug", "Aspirin")) == [(1,)]
        assert rows(nexus, RISK.format("Drug", "Cafeine")) == [(2,)]
        assert rows(nexus, RISK.format("Note", "Aspirin")) == [(4,)]
        assert rows(nexus, RISK.format("Drug", "Nobody")) == []


def test_a_name_is_found_in_its_normal_form(nexus: recollect.Nexus) -> None:
    assert rows(nexus, RISK.format("Drug", "Aspirin")) == [(1,)]
    assert rows(nexus, RISK.format("Drug", "Cafe\u0301")) == [(3,)]
    assert rows(nexus, BY_NAME, name="Aspirin") == [(1,)]
    assert rows(nexus, BY_NAME, name="Cafe\u0301") == [(3,)]


def test_a_quote_inside_a_string_does_not_end_it(nexus: recollect.Nexus) -> None:
    put(nexus, 'say "aah"', 5)
    assert rows(nexus, RISK.format("Drug", "Aspirin")) == [(1,)]
    assert rows(nexus, RISK.format("Drug", 'say \\"aah\\"')) == [(5,)]


def test_a_write_is_seen_by_the_next_read(nexus: recollect.Nexus) -> None:
    for risk in range(20, 25):
        put(nexus, "Aspirin", risk)
        assert rows(nexus, BY_NAME, name="Aspirin") == [(risk,)]
        assert rows(nexus, BY_NAME, name="Aspirin") == [(risk,)]


def test_a_write_of_another_connection_is_seen_by_the_next_read(tmp_path: Path) -> None:
    path = tmp_path / "two.db"
    with recollect.open(path) as one, recollect.open(path) as other:
        for risk in range(5):
            put(other, "Aspirin", risk)
            assert rows(one, BY_NAME, name="Aspirin") == [(risk,)]
            assert rows(one, BY_NAME, name="Aspirin") == [(risk,)]
        other.purge(recollect.model.Key("Drug", "Aspirin"))
        assert rows(one, BY_NAME, name="Aspirin") == []


def test_the_past_is_asked_again_as_it_was(nexus: recollect.Nexus) -> None:
    known = AsOf(transaction=nexus.changes()[-1].transaction.number)
    put(nexus, "Aspirin", 7)
    for _ in range(3):
        assert found(nexus, BY_NAME, {"name": "Aspirin"}, known).rows == [(1,)]
        assert rows(nexus, BY_NAME, name="Aspirin") == [(7,)]


@pytest.mark.parametrize("known", [[1], True, 1.0])
def test_what_is_no_point_in_time_is_refused_every_time(nexus: recollect.Nexus, known: Any) -> None:
    text = RISK.format("Drug", "Aspirin")
    for _ in range(2):
        found(nexus, text, as_of=AsOf(known=1))
        with pytest.raises(RecollectError) as refused:
            found(nexus, text, as_of=AsOf(known=known))
        assert refused.value.code.name == "InvalidArgument"


def test_notices_come_with_every_answer(nexus: recollect.Nexus) -> None:
    wrong = 'FIND(?r) WHERE { ?d {type: "Drug", name: "Aspirin"} ATTR(?d, "rsk", ?r) }'
    for _ in range(3):
        assert [one.code for one in nexus.read(wrong).notices] == ["unknown_attribute"]
        unused = nexus.read(BY_NAME, {"name": "Aspirin", "more": 1}).notices
        assert [one.code for one in unused] == ["unused_parameter"]
        quoted = BY_NAME.replace("$name", '"$name"')
        assert "placeholder_in_string" in [
            one.code for one in nexus.read(quoted, {"name": "Aspirin"}).notices
        ]


def test_a_key_that_comes_to_be_unknown_is_warned_of(nexus: recollect.Nexus) -> None:
    text = 'FIND(?r) WHERE { ?d {type: "Drug", name: "Aspirin"} ATTR(?d, "dose", ?r) }'
    dosed = 'UPSERT { CONCEPT @a { {type: "Drug", name: "Other"} SET ATTRIBUTES { dose: 1 } } }'
    nexus.write(dosed)
    assert [nexus.read(text).notices for _ in range(3)] == [(), (), ()]
    nexus.write('DELETE ATTRIBUTES {"dose"} FROM ?d WHERE { ?d {type: "Drug", name: "Other"} }')
    assert [one.code for one in nexus.read(text).notices] == ["unknown_attribute"]


def test_an_error_points_into_the_text_that_was_sent(nexus: recollect.Nexus) -> None:
    for name in ("Aspirin", "A longer name"):
        text = RISK.format("Drug", name) + " LIMIT $most"
        assert nexus.read(text, {"most": 5}).results
        with pytest.raises(RecollectError) as caught:
            nexus.read(text, {"more": 5})
        assert caught.value.span is not None
        assert text[caught.value.span.start : caught.value.span.end] == "$most"


def test_limits_hold_for_a_text_that_was_asked_before(nexus: recollect.Nexus) -> None:
    text = 'FIND(?d) WHERE { ?d {type: "Drug"} }'
    assert len(rows(nexus, text)) == 3
    with pytest.raises(RecollectError, match="more than 2 rows"):
        nexus.read(text, limits=Limits(max_rows=2))
    assert len(rows(nexus, text)) == 3


def test_a_page_goes_on_from_a_text_that_was_asked_before(nexus: recollect.Nexus) -> None:
    text = 'FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) } ORDER BY ?n LIMIT 1'
    first = [found(nexus, text) for _ in range(3)]
    assert first[0].next_cursor is not None
    assert len({one.next_cursor for one in first}) == 1
    second = found(nexus, text + " CURSOR $cursor", {"cursor": first[2].next_cursor})
    assert second.rows == [("Cafeine",)]


def test_threads_that_ask_while_one_writes_see_whole_moments(tmp_path: Path) -> None:
    text = (
        'FIND(?a, ?b) WHERE { ?d {type: "Drug", name: $name} ATTR(?d, "a", ?a) ATTR(?d, "b", ?b) }'
    )
    with recollect.open(tmp_path / "threads.db", synchronous="normal") as nexus:
        numbers = count()

        def write() -> None:
            number = next(numbers)
            nexus.write(
                'UPSERT { CONCEPT @a { {type: "Drug", name: "A"} SET ATTRIBUTES { a: $n, b: $n } } }',
                {"n": number},
            )

        write()
        torn: list[object] = []
        is_over = threading.Event()

        def ask() -> None:
            while not is_over.is_set():
                torn.extend(
                    one for one in found(nexus, text, {"name": "A"}).rows if one[0] != one[1]
                )

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            write()
        is_over.set()
        for thread in threads:
            thread.join()
        assert torn == []


NAMES = st.sampled_from(["A", "B", "é", "e\u0301", "", " ", 'q"q', "$n", "back\\slash", "\t", "//"])
TEXTS = st.sampled_from(
    [
        'FIND(?d) WHERE {{ ?d {{type: "T", name: {0}}} }}',
        'FIND(?v) WHERE {{ ?d {{type: "T"}} ATTR(?d, {0}, ?v) }}',
        'FIND(?n) WHERE {{ ?d {{type: "T"}} ATTR(?d, "name", ?n) FILTER(?n == {0}) }}',
        'FIND(?n) WHERE {{ ?d {{type: {0}}} ATTR(?d, "name", ?n) FILTER(CONTAINS(?n, {1})) }}',
        'FIND(?n) WHERE {{ ?d {{type: "T"}} ATTR(?d, "name", ?n) FILTER(REGEX(?n, {0})) }}',
        'FIND(?n) WHERE {{ ?d {{type: "T"}} ATTR(?d, "name", ?n) FILTER(IN(?n, [{0}, {1}])) }}',
        'FIND(?n) WHERE {{ ?d {{name: {0}}} ATTR(?d, "name", ?n) }} // {1}',
        "FIND(?d) WHERE {{ ?d {{id: {0}}} }}",
    ]
)


def quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def outcome(nexus: recollect.Nexus, text: str) -> object:
    try:
        answer = nexus.read(text, {"n": "B"} if "$n" in text else None)
    except RecollectError as error:
        return error.to_wire()
    return answer.results, answer.notices


@given(asked=st.lists(st.tuples(TEXTS, NAMES, NAMES), min_size=2, max_size=8))
def test_what_was_asked_before_changes_no_answer(asked: list[tuple[str, str, str]]) -> None:
    with recollect.open(":memory:") as nexus:
        for name in ("A", "B", "é", " ", 'q"q', "$n", "back\\slash", "//"):
            nexus.write(
                'UPSERT { CONCEPT @a { {type: "T", name: $name} SET ATTRIBUTES { A: 1 } } }',
                {"name": name},
            )
        for text, one, other in asked:
            written = text.format(quoted(one), quoted(other))
            warm = outcome(nexus, written)
            assert outcome(nexus, written) == warm
            assert outcome(nexus, written + "\n;") == warm  # another text, read as a tree
