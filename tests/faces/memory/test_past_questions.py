"""A question that names a time in the past is answered with what held then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

LIVES = (
    ("Maria", "lives_in", "Berlin", "2018", "2021-06"),
    ("Maria", "lives_in", "Munich", "2021-06", "2023-03"),
    ("Maria", "lives_in", "Vienna", "2023-03", None),
    ("Maria", "works_at", "Siemens", "2015", "2019-05"),
    ("Maria", "works_at", "Bosch", "2019-05", "2024"),
    ("Maria", "works_at", "BMW", "2024", None),
    ("Ann Miller", "lives_in", "Hamburg", "2016", "2021"),
    ("Ann Miller", "lives_in", "Lisbon", "2021", "2023"),
    ("Ann Miller", "lives_in", "Porto", "2023", None),
    ("Tom", "married_to", "Lena", "2010", "2020"),
    ("Tom", "married_to", "Ines", "2022", None),
    ("Tom", "likes", "tea", None, None),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    facts = [
        {"subject": subject, "predicate": predicate, "object": target}
        | ({} if since is None else {"valid_at": since})
        | ({} if until is None else {"invalid_at": until})
        for subject, predicate, target, since, until in LIVES
    ]
    with recollect.memory(":memory:", actor="Ann Miller", is_person=True) as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{**one, "object": "Decoy"} for one in facts[:3]])
        memory.remember(facts=facts)
        yield memory


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("Where did I live in 2022?", "Lisbon"),
        ("Where did Maria live in 2019?", "Berlin"),
        ("Wo hat Maria 2022 gewohnt?", "Munich"),
        ("Where did I live between 2016 and 2019?", "Hamburg"),
        ("Where did Maria work before BMW?", "Bosch"),
        ("Before BMW, where did Maria work?", "Bosch"),
        ("Who was Tom married to before Ines?", "Lena"),
        ("¿Dónde vivía Maria antes de Vienna?", "Munich"),
        ("Where did Maria live before 2021?", "Berlin"),
        ("Where did Maria live after Berlin?", "Munich"),
        ("Where did Maria work until 2019?", "Siemens"),
        ("Where has Maria worked since 2019?", "Bosch"),
        ("Where did Maria formerly work?", "Bosch"),
        ("Wo hat Maria früher gearbeitet?", "Bosch"),
        ("Where did Maria used to live?", "Munich"),
        ("Where did Maria work before she joined us?", "Bosch"),
        ("What is Tom's ex-wife called?", "Lena"),
        ("When did Maria leave Siemens?", "Siemens"),
        ("Where does Maria work?", "BMW"),
        ("Where does Maria live today?", "Vienna"),
    ],
)
def test_the_first_answer_held_in_the_time_asked_for(
    memory: Memory, question: str, held: str
) -> None:
    first = memory.recall(question).memories[0]
    assert first.memory.object == held
    assert sum(points for points, _ in first.why.values()) == pytest.approx(first.score, abs=0.001)


def test_what_did_not_hold_then_says_so_and_what_has_no_time_is_left_as_it_is(
    memory: Memory,
) -> None:
    found = memory.recall("What did Tom like in 2015, and whom was he married to?").memories
    why = {one.memory.object: one.why for one in found}
    assert why["Ines"]["time"][1] == "it did not hold in the time that the question names"
    assert "time" not in why["tea"]
    assert why["Lena"]["past"] == (0.0, "until 2020-01-01")


def test_scores_fall_from_one_memory_to_the_next(memory: Memory) -> None:
    scores = [one.score for one in memory.recall("Where did Maria work?").memories]
    assert scores == sorted(scores, reverse=True)


def test_what_says_no_more_than_a_name_stands_below_what_says_something(memory: Memory) -> None:
    found = memory.recall("What about Tom?").memories
    assert [one.memory.kind for one in found][-1] == "concept"


def test_what_has_ended_is_nearest_where_nothing_answers_and_nothing_withdrawn_is() -> None:
    said = [{"kind": "user_statement", "detail": "she said so"}]
    with recollect.memory(":memory:", actor="bot") as memory:
        ann = {"subject": "Ann Miller", "predicate": "allergic_to", "object": "cashews"}
        tea = {"subject": "Ann Miller", "predicate": "works_at", "object": "Miele"}
        nuts, _ = memory.remember(facts=[ann, tea]).facts
        claim = memory.remember("Ann is afraid of spiders", evidence=said).claim
        assert claim is not None
        memory.forget(id=claim.id)
        asked = "Is Ann allergic to anything?"
        assert [one.memory.standing for one in memory.recall(asked).memories[:1]] == [""]
        memory.forget(id=nuts.id, effect="end", at="2026-01-01")
        found = memory.recall(asked)
        assert found.memories == ()
        assert str(found.nearest) == "Ann Miller allergic to cashews (until 2026-01-01)"
        spiders = memory.recall("Is Ann afraid of spiders?")
        assert "spiders" not in f"{spiders.memories} {spiders.nearest}"
        named = memory.recall("Did Ann Miller eat cashews?").memories[0]
        assert named.memory.object == "cashews"


def test_a_claim_by_a_first_name_is_about_the_one_who_has_it() -> None:
    said = [{"kind": "user_statement", "detail": "he said so"}]
    with recollect.memory(":memory:", actor="bot") as memory:
        for name, what in (("Teo Brandt", "carpenter"), ("Ann Miller", "baker")):
            memory.remember(facts=[{"subject": name, "predicate": "works_as", "object": what}])
        memory.remember("Teo broke his wrist while skiing", evidence=said)
        memory.remember("Somebody broke a window while skiing", evidence=said)
        first, *others = memory.recall("How did Teo hurt himself?").memories
        assert first.memory.text == "Teo broke his wrist while skiing"
        assert all(one.why["far"][0] < 0 for one in others)


def test_what_came_before_or_after_one_who_did_something_is_found() -> None:
    conducts = {"predicate": "conducts", "object": "Rosenau Philharmonic"}
    helga = {**conducts, "subject": "Helga Brandt", "valid_at": "2021-09"}
    oskar = {**conducts, "subject": "Oskar Lind", "valid_at": "2012", "invalid_at": "2021-09"}
    plays = {"subject": "Helga Brandt", "predicate": "plays", "object": "viola"}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[helga, oskar, plays])
        for question, subject in (
            ("Who conducted the Rosenau Philharmonic before Helga Brandt?", "Oskar Lind"),
            ("Who conducted before Helga Brandt?", "Oskar Lind"),
            ("Before Helga Brandt, who conducted the Rosenau Philharmonic?", "Oskar Lind"),
            ("Who conducted the Rosenau Philharmonic after Oskar Lind?", "Helga Brandt"),
        ):
            assert memory.recall(question).memories[0].memory.subject == subject


def test_scores_go_down_the_page_and_their_shares_add_up() -> None:
    said = [{"kind": "user_statement", "detail": "she said so"}]
    with recollect.memory(":memory:", actor="bot") as memory:
        for one in ("nuts", "eggs", "fish", "milk"):
            memory.remember(f"Maria Haddad is allergic to {one}", evidence=said)
        other = Memory(memory.nexus, actor="ann")
        other.remember("Maria Haddad told Bo at lunch that she is allergic", evidence=said)
        found = other.recall("What is Maria Haddad allergic to?").memories
        assert found[2].memory.text.startswith("Maria Haddad told Bo")  # of another, in between
        scores = [one.score for one in found]
        assert scores == sorted(scores, reverse=True)
        for one in found:
            added = sum(points for points, _ in one.why.values())
            assert one.score == pytest.approx(added, abs=1e-3)
        assert ["below" in one.why for one in found] == [False, False, False, True, True]
        forgotten = other.forget("Maria Haddad is allergic to")
        assert len(forgotten.memories) == 4  # what a page shows lower is meant no less
