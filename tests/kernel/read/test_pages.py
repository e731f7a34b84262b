"""Pages of a FIND: what a cursor keeps, whom it serves, and what it refuses."""

from __future__ import annotations

import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings, strategies as st

import recollect
from recollect import AsOf, Limits, Nexus, RecollectError
from recollect.model import Found, Key, PutConcept, PutLink, Rows, Value

NAMES = [f"d{at}" for at in range(7)]
BY_NAME = 'FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name'
DRUGS = 'FIND(?d.name) WHERE { ?d {type: "Drug"} }'


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """Seven drugs and what they treat, beside a group that holds the same."""
    with recollect.open(":memory:") as nexus:
        for group in (nexus.group("decoy"), nexus):
            group.write([PutConcept("Symptom", "s0"), PutConcept("Symptom", "s1")])
            for at, name in enumerate(NAMES):
                symptom = Key("Symptom", f"s{at % 2}")
                drug = PutConcept("Drug", name, {"risk": at % 3}, handle="d")
                group.write([drug, PutLink(Key("Drug", name), "treats", symptom)])
        yield nexus


def read(nexus: Nexus, text: str, **parameters: Value) -> Rows:
    (rows,) = nexus.read(text, parameters).results
    assert isinstance(rows, Rows)
    return rows


def first(nexus: Nexus, query: str, limit: int = 2, **parameters: Value) -> str:
    cursor = read(nexus, f"{query} LIMIT {limit}", **parameters).next_cursor
    assert cursor is not None
    return cursor


def refused(nexus: Nexus, text: str, parameters: Mapping[str, Value], **more: AsOf) -> str:
    with pytest.raises(RecollectError) as caught:
        nexus.read(text, parameters, **more)
    assert caught.value.code.code == "KIP_1001"
    assert caught.value.span is not None
    assert caught.value.hint
    return caught.value.message


def test_the_last_page_has_no_cursor(nexus: Nexus) -> None:
    assert read(nexus, f"{DRUGS} LIMIT 7").next_cursor is None
    assert read(nexus, f"{DRUGS} LIMIT 6").next_cursor is not None
    assert read(nexus, f"{DRUGS} LIMIT 0").next_cursor is None
    assert read(nexus, DRUGS).next_cursor is None


def test_a_page_may_be_longer_than_the_one_before_or_be_all_the_rest(nexus: Nexus) -> None:
    cursor = first(nexus, BY_NAME)
    assert read(nexus, f"{BY_NAME} LIMIT 4 CURSOR $c", c=cursor).rows == [(n,) for n in NAMES[2:6]]
    assert read(nexus, f"{BY_NAME} CURSOR $c", c=cursor).rows == [(n,) for n in NAMES[2:]]


def test_an_offset_skips_rows_of_the_first_page_only(nexus: Nexus) -> None:
    page = read(nexus, f"{BY_NAME} LIMIT 2 OFFSET 1")
    assert page.rows == [("d1",), ("d2",)]
    rest = read(nexus, f"{BY_NAME} LIMIT 9 OFFSET 1 CURSOR $c", c=page.next_cursor)
    assert rest.rows == [(name,) for name in NAMES[3:]]


def test_the_cursor_is_a_short_text_that_needs_no_escape(nexus: Nexus) -> None:
    cursor = first(nexus, BY_NAME)
    assert len(cursor) < 100
    assert cursor.replace("-", "").replace("_", "").isalnum()


def test_what_is_deleted_after_the_first_page_is_still_on_the_next(nexus: Nexus) -> None:
    cursor = first(nexus, BY_NAME)
    nexus.write('DELETE CONCEPT {type: "Drug", name: "d1"} DETACH')
    nexus.write('DELETE CONCEPT {type: "Drug", name: "d3"} DETACH')
    nexus.write([PutConcept("Drug", "a"), PutConcept("Drug", "d2b")])
    assert read(nexus, f"{BY_NAME} CURSOR $c", c=cursor).rows == [(n,) for n in NAMES[2:]]


def test_what_changes_after_the_first_page_is_shown_as_it_was(nexus: Nexus) -> None:
    query = 'FIND(?d) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.risk, ?d.name'
    whole = read(nexus, query).rows
    cursor = first(nexus, query)
    nexus.write([PutConcept("Drug", name, {"risk": 9 - at}) for at, name in enumerate(NAMES)])
    assert read(nexus, f"{query} CURSOR $c", c=cursor).rows == whole[2:]


def test_an_as_of_is_kept_and_need_not_be_passed_again(nexus: Nexus) -> None:
    then = AsOf(transaction=5)
    (page,) = nexus.read(f"{BY_NAME} LIMIT 2", as_of=then).results
    assert isinstance(page, Rows)
    for again in (None, then):
        (rest,) = nexus.read(f"{BY_NAME} CURSOR $c", {"c": page.next_cursor}, as_of=again).results
        assert isinstance(rest, Rows)
        assert rest.rows == [("d2",), ("d3",)]


@pytest.mark.parametrize("other", [AsOf(transaction=4), AsOf(valid=0)])
def test_another_as_of_is_refused(nexus: Nexus, other: AsOf) -> None:
    page = {"c": first(nexus, BY_NAME)}
    assert "another time" in refused(nexus, f"{BY_NAME} CURSOR $c", page, as_of=other)


@pytest.mark.parametrize(
    "other",
    [
        'FIND(?d) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name CURSOR $c',
        'FIND(?d.name) WHERE { ?d {type: "Symptom"} } ORDER BY ?d.name CURSOR $c',
        f"{DRUGS} CURSOR $c",
        f"{BY_NAME} DESC CURSOR $c",
    ],
)
def test_a_cursor_of_another_query_is_refused(nexus: Nexus, other: str) -> None:
    assert "another query" in refused(nexus, other, {"c": first(nexus, BY_NAME)})


def test_a_cursor_of_other_parameters_is_refused(nexus: Nexus) -> None:
    query = 'FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk < $most) }'
    cursor = first(nexus, query, most=2)
    assert len(read(nexus, f"{query} CURSOR $c", c=cursor, most=2).rows) == 3
    assert "other parameters" in refused(nexus, f"{query} CURSOR $c", {"c": cursor, "most": 3})


def test_a_cursor_of_another_group_is_refused(nexus: Nexus) -> None:
    cursor = first(nexus, BY_NAME)
    assert "another query" in refused(nexus.group("decoy"), f"{BY_NAME} CURSOR $c", {"c": cursor})


def test_a_query_may_be_written_otherwise_from_page_to_page(nexus: Nexus) -> None:
    again = "FIND( ?d.name ) WHERE{?d {type:$type}} // the same\nORDER BY ?d.name ASC CURSOR $c"
    rest = read(nexus, again, c=first(nexus, BY_NAME), type="Drug")
    assert rest.rows == [(name,) for name in NAMES[2:]]


@pytest.mark.parametrize("cursor", ["", "x", "é", "WzFd", "e30", "a" * 5_000, "WzEsMSwxLDEsMSwxXQ"])
def test_a_text_that_is_no_cursor_is_refused(nexus: Nexus, cursor: str) -> None:
    with pytest.raises(RecollectError) as caught:
        read(nexus, f"{BY_NAME} CURSOR $c", c=cursor)
    assert caught.value.code.code in ("KIP_1001", "KIP_2003")


def test_a_cursor_of_a_transaction_that_has_not_been_is_refused(nexus: Nexus) -> None:
    parts = urlsafe_b64decode(first(nexus, BY_NAME) + "===")
    later = parts.replace(b'",8,', b'",80,')
    assert later != parts
    cursor = urlsafe_b64encode(later).decode().rstrip("=")
    assert "does not exist yet" in refused(nexus, f"{BY_NAME} CURSOR $c", {"c": cursor})


@settings(max_examples=100)
@given(st.integers(0, 200), st.integers(0, 255))
def test_a_damaged_cursor_is_refused_or_leads_somewhere(at: int, byte: int) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("Drug", name) for name in NAMES])
        parts = bytearray(urlsafe_b64decode(first(nexus, BY_NAME) + "==="))
        parts[at % len(parts)] = byte
        cursor = urlsafe_b64encode(parts).decode().rstrip("=")
        try:
            page = read(nexus, f"{BY_NAME} CURSOR $c", c=cursor)
        except RecollectError as error:
            assert error.code.code == "KIP_1001"
        else:
            assert {name for (name,) in page.rows} <= set(NAMES)


def test_keys_too_long_for_a_cursor_are_counted_instead(nexus: Nexus) -> None:
    nexus.write([PutConcept("Drug", name, {"note": name * 5_000}) for name in NAMES])
    query = 'FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.note'
    cursor = first(nexus, query)
    assert len(cursor) < 200
    nexus.write('DELETE CONCEPT {type: "Drug", name: "d0"} DETACH')
    assert read(nexus, f"{query} CURSOR $c", c=cursor).rows == [(name,) for name in NAMES[2:]]


@pytest.mark.parametrize("number", [2**63 - 1, 2**62 + 1, -(2**63)])
def test_a_page_goes_on_after_any_whole_number(nexus: Nexus, number: int) -> None:
    nexus.write([PutConcept("Drug", name, {"code": number}) for name in NAMES])
    query = 'FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.code'
    rest = read(nexus, f"{query} CURSOR $c", c=first(nexus, query)).rows
    assert rest == [(name,) for name in NAMES[2:]]


def test_groups_are_counted_as_of_their_first_page(nexus: Nexus) -> None:
    query = 'FIND(?d.attributes.risk, COUNT(?d)) WHERE { ?d {type: "Drug"} } ORDER BY COUNT(?d)'
    whole = read(nexus, query).rows
    cursor = first(nexus, query, limit=1)
    nexus.write([PutConcept("Drug", f"x{at}", {"risk": at}) for at in range(9)])
    assert read(nexus, f"{query} CURSOR $c", c=cursor).rows == whole[1:]


def test_pages_go_on_when_links_become_what_they_never_were(nexus: Nexus) -> None:
    query = 'FIND(?s.name, ?d.name) WHERE { (?d, "treats", ?s) } ORDER BY ?s.name DESC'
    whole = read(nexus, query).rows
    cursor = first(nexus, query)
    about = PutLink(Key("Drug", "d0"), "says", Key("Symptom", "s0"), handle="about")
    nexus.write(
        [
            about,
            PutLink(Key("Drug", "d0"), "treats", Key("Symptom", "s0"), key="again"),
            PutLink(recollect.model.Local("about"), "treats", recollect.model.Local("about")),
        ]
    )
    assert read(nexus, f"{query} CURSOR $c", c=cursor).rows == whole[2:]


def test_after_a_purge_the_pages_show_what_is_left(nexus: Nexus) -> None:
    cursor = first(nexus, BY_NAME)
    for name in ("d0", "d1", "d3"):
        nexus.purge(Key("Drug", name))
    left = [("d2",), ("d4",), ("d5",), ("d6",)]
    assert read(nexus, f"{BY_NAME} CURSOR $c", c=cursor).rows == left


def test_a_page_of_as_many_rows_as_are_allowed_is_answered(nexus: Nexus) -> None:
    allowed = Limits(max_rows=3)
    (page,) = nexus.read(f"{BY_NAME} LIMIT 3", limits=allowed).results
    assert isinstance(page, Rows)
    assert page.next_cursor is not None
    with pytest.raises(RecollectError) as caught:
        nexus.read(f"{BY_NAME} LIMIT 4", limits=allowed)
    assert caught.value.code.code == "KIP_4002"


def test_a_text_that_writes_gives_no_cursor(nexus: Nexus) -> None:
    text = 'UPSERT { CONCEPT ?d { {type: "Drug", name: "new"} } }'
    _, page = nexus.write(f"{text} {BY_NAME} LIMIT 2").results
    assert isinstance(page, Rows)
    assert (len(page.rows), page.next_cursor) == (2, None)


def test_what_names_the_elements_of_a_purge_takes_no_cursor(nexus: Nexus) -> None:
    query = 'FIND(?d) WHERE { ?d {type: "Drug"} }'
    cursor = first(nexus, query)
    with pytest.raises(RecollectError) as caught:
        nexus.purge(Found(f"{query} CURSOR $c", {"c": cursor}))
    assert caught.value.code.code == "KIP_1001"


def test_explain_shows_how_a_page_goes_on(nexus: Nexus) -> None:
    shown = nexus.explain(f"{BY_NAME} LIMIT 2 CURSOR $c", {"c": first(nexus, BY_NAME)})
    assert shown.rows == 2
    assert shown.parameters["after0"] == "d1"
    nexus.write([PutConcept("Drug", "later")])
    assert nexus.explain(f"{BY_NAME} CURSOR $c", {"c": first(nexus, BY_NAME)}).rows == 6


@pytest.mark.parametrize(
    "query",
    [
        'FIND(?d.name) WHERE { ?d {type: "Drug"} }',
        'FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.risk DESC, ?d.name',
        'FIND(?d.name, ?s.name) WHERE { (?d, "treats", ?s) } ORDER BY ?s.name',
        'FIND(?d.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } UNION '
        '{ ?d {type: "Drug"} FILTER(?d.attributes.risk > 0) } }',
    ],
)
def test_what_stands_throughout_comes_once_while_others_write(query: str) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("Symptom", "s")])
        for at in range(40):
            drug = Key("Drug", f"d{at:02}")
            nexus.write(
                [
                    PutConcept(drug.type, drug.name, {"risk": at % 5}),
                    PutLink(drug, "treats", Key("Symptom", "s")),
                ]
            )
        stop = threading.Event()

        def disturb() -> None:
            round_ = 0
            while not stop.is_set():
                round_ += 1
                name = f"d{round_ % 40:02}x"
                nexus.write([PutConcept("Drug", name, {"risk": round_ % 7})])
                nexus.write([PutConcept("Drug", f"d{round_ % 40:02}", {"risk": round_ % 5})])
                nexus.write(
                    f'DELETE CONCEPT {{type: "Drug", name: "{name}"}} DETACH', actor="writer"
                )

        writer = threading.Thread(target=disturb)
        writer.start()
        try:
            for _ in range(5):
                found: list[Value] = []
                page = read(nexus, f"{query} LIMIT 3")
                while True:
                    found += [row[0] for row in page.rows]  # type: ignore[misc]
                    if page.next_cursor is None:
                        break
                    page = read(nexus, f"{query} LIMIT 3 CURSOR $c", c=page.next_cursor)
                assert len(found) == len(set(map(str, found)))
                assert {f"d{at:02}" for at in range(40)} <= set(map(str, found))
        finally:
            stop.set()
            writer.join()


@pytest.mark.parametrize("token", ["", None])
def test_the_first_page_has_no_cursor(token: str | None) -> None:
    with recollect.open(":memory:") as nexus:
        for text in ('FIND(?x) WHERE { ?x {type: "T"} } LIMIT 1', 'SEARCH "a"', "DESCRIBE DOMAINS"):
            with pytest.raises(RecollectError) as raised:
                nexus.read(f"{text} CURSOR $token", {"token": token})
            assert raised.value.hint == "leave CURSOR out for the first page"
