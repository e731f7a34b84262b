"""SEARCH with a mode, a threshold and a cursor."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from itertools import chain

import orjson
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import recollect
from recollect.errors import INVALID_SYNTAX, INVALID_VALUE, RecollectError
from recollect.kernel.search.grounding import packed, unpacked
from recollect.kernel.search.search import relevance
from recollect.model import (
    Answer,
    AsOf,
    Concept,
    Delete,
    Hit,
    Hits,
    Key,
    PutConcept,
    PutLink,
    Value,
)

QUESTION = "patient reported severe migraine"


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    with recollect.open(":memory:") as nexus:
        decoy = nexus.group("decoy")
        decoy.write([PutConcept("Note", f"d{at}", {"text": QUESTION}) for at in range(30)])
        nexus.write(
            [
                PutConcept("Note", "all", {"text": "the patient reported a severe migraine"}),
                PutConcept("Note", "half", {"text": "a severe migraine of somebody else today"}),
                PutConcept("Note", "one", {"text": "that migraine was long ago and is over now"}),
                *(
                    PutConcept("Note", f"other {at}", {"text": f"about seven other things {at}"})
                    for at in range(40)
                ),
            ]
        )
        yield nexus


def hits_of(answer: Answer) -> Hits:
    (hits,) = answer.results
    assert isinstance(hits, Hits)
    return hits


def names(hits: Hits) -> list[str]:
    return [one.element.name for one in hits.hits if isinstance(one.element, Concept)]


def scores(nexus: recollect.Nexus, limit: int = 10) -> dict[str, float]:
    hits = hits_of(nexus.search(QUESTION, "concept", limit=limit))
    return dict(zip(names(hits), [one.score for one in hits.hits], strict=True))


def test_a_score_tells_how_much_of_the_question_a_hit_says(nexus: recollect.Nexus):
    found = scores(nexus)
    assert list(found) == ["all", "half", "one"]
    assert found["all"] > 0.85
    assert 0.3 < found["half"] < 0.7
    assert found["one"] < 0.3


def test_a_score_is_the_same_whatever_the_limit(nexus: recollect.Nexus):
    whole = scores(nexus, 1_000)
    assert all(scores(nexus, limit).items() <= whole.items() for limit in (1, 2, 500))


def test_another_group_changes_no_score(nexus: recollect.Nexus):
    before = scores(nexus)
    nexus.group("decoy").write([PutConcept("Note", f"more {at}") for at in range(50)])
    assert scores(nexus) == before


@given(ranks=st.lists(st.floats(0, 1), min_size=2))
def test_a_score_orders_as_the_rank_does_and_stays_from_0_to_1(ranks: list[float]):
    found = [relevance(one) for one in sorted(ranks)]
    assert found == sorted(found)
    assert all(0 <= one <= 1 for one in found)


def test_a_threshold_leaves_out_what_scores_less(nexus: recollect.Nexus):
    found = scores(nexus)
    assert names(hits_of(nexus.search(QUESTION, threshold=found["half"]))) == ["all", "half"]
    assert names(hits_of(nexus.search(QUESTION, threshold=0.8))) == ["all"]
    assert names(hits_of(nexus.search(QUESTION, threshold=0))) == list(found)
    assert names(hits_of(nexus.search("all", threshold=1.0))) == ["all"]


@pytest.mark.parametrize(
    ("value", "code"),
    [(1.5, INVALID_SYNTAX), (-0.1, INVALID_SYNTAX), ("0.5", INVALID_VALUE), (True, INVALID_VALUE)],
)
def test_a_threshold_is_a_number_from_0_to_1(nexus: recollect.Nexus, value: Value, code: object):
    with pytest.raises(RecollectError) as raised:
        nexus.read('SEARCH "migraine" THRESHOLD $least', {"least": value})
    assert raised.value.code is code
    assert raised.value.hint == "write THRESHOLD 0.5"


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_a_mode_that_needs_an_embedder_answers_by_words_and_says_so(
    nexus: recollect.Nexus, mode: str
):
    by_words, asked = nexus.search(QUESTION), nexus.search(QUESTION, mode=mode)
    assert hits_of(asked) == hits_of(by_words)
    assert by_words.notices == nexus.search(QUESTION, mode="keyword").notices == ()
    (notice,) = asked.notices
    assert notice.code == "answered_by_words"
    assert nexus.read(f'SEARCH "{QUESTION}" MODE {mode}').notices[0].span is not None


def test_an_unknown_mode_is_refused_with_those_there_are(nexus: recollect.Nexus):
    with pytest.raises(RecollectError) as raised:
        nexus.search(QUESTION, mode="semantics")
    assert raised.value.code is INVALID_SYNTAX
    assert raised.value.known[0] == "semantic"
    with pytest.raises(RecollectError) as raised:
        nexus.read('SEARCH "x" MODE $mode', {"mode": "vectors"})
    assert set(raised.value.known) >= {"keyword"}


def test_a_name_and_an_alias_are_found(nexus: recollect.Nexus):
    nexus.write([PutConcept("Drug", "Aspirin", {"aliases": ["acetylsalicylic acid", "ASA"]})])
    for term in ("aspirin", "acetylsalicylic acid", "asa"):
        hits = hits_of(nexus.search(term))
        assert names(hits) == ["Aspirin"]
        assert hits.hits[0].score > 0.9


def pages(
    nexus: recollect.Nexus, term: str, limit: int, as_of: AsOf | None = None
) -> Iterator[Hits]:
    cursor = None
    while True:
        hits = hits_of(nexus.search(term, limit=limit, cursor=cursor, as_of=as_of))
        yield hits
        cursor = hits.next_cursor
        if cursor is None:
            return


@pytest.mark.parametrize("limit", [1, 2, 7, 40, 41])
def test_the_pages_of_a_search_make_the_answer(nexus: recollect.Nexus, limit: int):
    term = "seven other things migraine"
    whole = hits_of(nexus.search(term, limit=1_000))
    found = list(pages(nexus, term, limit))
    assert [one for page in found for one in page.hits] == list(whole.hits)
    assert all(len(page.hits) == limit for page in found[:-1])
    assert whole.next_cursor is None


@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(changes=st.lists(st.sampled_from(["add", "change", "delete", "link"]), max_size=6))
def test_pages_are_those_of_one_answer_while_others_write(changes: list[str]):
    with recollect.open(":memory:") as nexus:
        nexus.write(
            [PutConcept("Note", f"n{at}", {"text": "fever " * (at + 1)}) for at in range(9)]
        )
        nexus.write([PutLink(Key("Note", "n1"), "fever", Key("Note", "n2"), {"note": "fever"})])
        whole = hits_of(nexus.search("fever", limit=100)).hits
        seen: list[Hit] = []
        for at, page in enumerate(pages(nexus, "fever", 2)):
            seen += page.hits
            match changes[at] if at < len(changes) else "":
                case "add":
                    nexus.write([PutConcept("Note", f"new {at}", {"text": "fever fever"})])
                case "change":
                    nexus.write([PutConcept("Note", f"n{at}", {"text": "fever and a long text"})])
                case "delete":
                    nexus.write([Delete(Key("Note", f"n{8 - at}"))])
                case "link":
                    keys = Key("Note", "n0"), Key("Note", "n0")
                    nexus.write([PutLink(keys[0], "fever", keys[1], {"note": f"{at}"})])
        assert seen == list(whole)


def test_pages_show_what_was_then_though_it_changed_since(nexus: recollect.Nexus):
    first = hits_of(nexus.search("seven other things", limit=39))
    assert first.next_cursor is not None
    left = {f"other {at}" for at in range(40)} - set(names(first))
    (last,) = left
    nexus.write([PutConcept("Note", last, {"text": "nothing at all"})])
    again = hits_of(nexus.search("seven other things", limit=39, cursor=first.next_cursor))
    assert names(again) == [last]
    assert again.hits[0].element.attributes["text"] != "nothing at all"


def test_pages_of_the_past_stay_there(nexus: recollect.Nexus):
    nexus.write([PutConcept("Note", "late", {"text": "migraine"})])
    as_of = AsOf(transaction=1)
    found = [name for page in pages(nexus, QUESTION, 1, as_of) for name in names(page)]
    assert found == ["all", "half", "one"]


def test_pages_of_the_past_weigh_words_as_the_first_did(nexus: recollect.Nexus):
    nexus.write([PutConcept("Note", "all", {"text": "migraine and a text of more words"})])
    for number in (1, 2):
        as_of = AsOf(transaction=number)
        whole = hits_of(nexus.search(QUESTION, as_of=as_of))
        found = [one for page in pages(nexus, QUESTION, 1, as_of) for one in page.hits]
        assert found == list(whole.hits)


def test_a_threshold_is_the_same_on_all_pages(nexus: recollect.Nexus):
    query = f'SEARCH CONCEPT "{QUESTION}" THRESHOLD $least'
    scores = [one.score for one in hits_of(nexus.search(QUESTION)).hits]
    values: dict[str, Value] = {"least": scores[-1]}
    cursor = hits_of(nexus.read(f"{query} LIMIT 1", values)).next_cursor
    nexus.write([PutConcept("Note", f"more {at}", {"text": "migraine"}) for at in range(20)])
    rest = hits_of(nexus.read(f"{query} CURSOR $cursor", {**values, "cursor": cursor}))
    assert [one.score for one in rest.hits] == scores[1:]


@pytest.mark.parametrize(
    "weights",
    [
        *([[]], [[1, 1, 0, 0]], [[1, 1, 0, 0, 0]], [[1, 0, 0, 0, 1]], [[1, 1, 0, 0, 2]]),
        *([[1.5, 1, 0]], [[9, 9, 0, 0, 1, 0, 1]]),
        [[999, 999, 0, *chain.from_iterable((at, 500) for at in range(4))]],
    ],
)
def test_a_cursor_that_weighs_words_as_no_memory_does_is_refused(
    nexus: recollect.Nexus, weights: list[list[float]]
):
    cursor = hits_of(nexus.search(QUESTION, limit=1)).next_cursor
    assert cursor is not None
    *parts, _, is_past = orjson.loads(urlsafe_b64decode(cursor + "==="))
    forged = urlsafe_b64encode(orjson.dumps([*parts, weights, is_past])).decode().rstrip("=")
    with pytest.raises(RecollectError) as caught:
        nexus.search(QUESTION, limit=1, cursor=forged)
    assert caught.value.message == "this is not a cursor that Recollect issued"


@settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(at=st.integers(0, 200), byte=st.integers(0, 255))
def test_a_damaged_cursor_of_a_search_is_refused_or_leads_somewhere(
    nexus: recollect.Nexus, at: int, byte: int
):
    cursor = hits_of(nexus.search(QUESTION, limit=1)).next_cursor
    assert cursor is not None
    parts = bytearray(urlsafe_b64decode(cursor + "==="))
    parts[at % len(parts)] = byte
    damaged = urlsafe_b64encode(parts).decode().rstrip("=")
    try:
        page = hits_of(nexus.search(QUESTION, limit=1, cursor=damaged))
    except RecollectError as error:
        assert error.code.code == "KIP_1001"
    else:
        assert len(page.hits) <= 1


@given(ids=st.sets(st.integers(1, 2**48)))
def test_what_was_shown_is_packed_and_unpacked(ids: set[int]):
    assert unpacked(packed(ids)) == ids


@given(octets=st.binary(max_size=300))
def test_any_bytes_are_some_ids(octets: bytes):
    assert all(one >= 0 for one in unpacked(octets))


def test_more_pages_than_a_cursor_can_name_are_counted_while_others_write(nexus: recollect.Nexus):
    words = ["needle"] * 1_200 + ["pin"] * 1_300  # as soon as more are needles, pins weigh more
    nexus.write([PutConcept("Many", f"{at}", {"text": word}) for at, word in enumerate(words)])
    question = "needle pin"
    whole = hits_of(nexus.search(question, limit=5_000)).hits
    found: list[Hit] = []
    for page in pages(nexus, question, 500):
        found += page.hits
        more = [f"{len(found)} {at}" for at in range(200)]
        nexus.write([PutConcept("More", name, {"text": "needle"}) for name in more])
    assert found == list(whole)


def test_a_search_is_explained_with_all_its_parts(nexus: recollect.Nexus):
    explained = nexus.explain('SEARCH CONCEPT "migraine" THRESHOLD 0.2 LIMIT 2')
    assert explained.plan[-1] == "keep what scores 0.2 or more"
    assert explained.rows == 2
