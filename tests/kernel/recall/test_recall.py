"""A question in plain words finds the right memories, of one moment and one group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

import recollect
from recollect import AsOf, Nexus, RecollectError
from recollect.faces.operations import Operations
from recollect.kernel.recall import columns
from recollect.model import Concept, Instant, Link, PutConcept

DAY = 86_400_000
CLOCK = [20_000 * DAY]


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    CLOCK[0] = 20_000 * DAY
    with recollect.open(":memory:", clock=lambda: Instant(CLOCK[0])) as one:
        one.group("decoy").write(TOLD)
        yield one


TOLD = """
UPSERT {
  CONCEPT @acme { {type: "Company", name: "Acme"} }
  CONCEPT @linz { {type: "City", name: "Linz"} }
  CONCEPT @ann {
    {type: "Person", name: "Ann Miller"}
    SET ATTRIBUTES { summary: "paints landscapes" }
    SET PROPOSITIONS { ("works_at", @acme), ("lives_in", @linz) }
  }
}
"""


def said(nexus: Nexus, question: str, **given: object) -> list[str]:
    return [one.passage for one in nexus.recall(question, **given).memories]  # type: ignore[arg-type]


def test_a_fact_is_found_by_its_ends_and_its_predicate(nexus: Nexus) -> None:
    nexus.write(TOLD)
    assert said(nexus, "Where does Ann Miller work?")[0] == "Ann Miller works_at Acme"
    assert said(nexus, "Which city does Ann live in?")[0] == "Ann Miller lives_in Linz"


def test_kinds_share_one_scale_and_can_be_chosen(nexus: Nexus) -> None:
    nexus.write(TOLD)
    found = nexus.recall("Does Ann Miller paint?").memories
    assert found[0].kind == "concept"
    assert {one.kind for one in found} == {"concept", "fact"}
    assert {one.kind for one in nexus.recall("Ann", kinds=["fact"]).memories} == {"fact"}


def test_the_points_of_the_shares_are_the_score(nexus: Nexus) -> None:
    nexus.write(TOLD)
    for one in nexus.recall("Where does Ann work?").memories:
        assert sum(share.points for share in one.why.values()) == pytest.approx(one.score)
        assert 0 <= one.score <= 1
    assert one.why["words"].words == "it holds ann"


def test_another_group_neither_answers_nor_changes_a_score(nexus: Nexus) -> None:
    nexus.write(TOLD)
    before = nexus.recall("Where does Ann work?").memories
    nexus.group("decoy").write('UPSERT { CONCEPT @x { {type: "Person", name: "Ann Ann Ann"} } }')
    assert nexus.recall("Where does Ann work?").memories == before
    assert nexus.group("nobody").recall("Where does Ann work?").memories == ()


def test_a_later_write_changes_no_earlier_answer(nexus: Nexus) -> None:
    nexus.write(TOLD)
    before = nexus.recall("Where does Ann Miller work?")
    CLOCK[0] += DAY
    nexus.write('UPSERT { CONCEPT @b { {type: "Person", name: "Ann of Acme, at work"} } }')
    nexus.write('DELETE PROPOSITIONS ?l WHERE { ?l (?s, "works_at", ?o) }')
    again = nexus.recall("Where does Ann Miller work?", as_of=before.as_of)
    assert [(one.element.element.id, one.score, one.why) for one in again.memories] == [
        (one.element.element.id, one.score, one.why) for one in before.memories
    ]
    assert "Ann Miller works_at Acme" not in said(nexus, "Where does Ann Miller work?")


def test_what_was_said_before_is_found_as_of_then(nexus: Nexus) -> None:
    put = (
        'UPSERT {{ CONCEPT @a {{ {{type: "Person", name: "Ann"}} '
        'SET ATTRIBUTES {{ summary: "{}" }} }} }}'
    )
    nexus.write(put.format("plays the cello"))
    nexus.write(put.format("plays the trumpet"))
    assert all("cello" not in one for one in said(nexus, "Who plays the cello?"))
    assert said(nexus, "Who plays the trumpet?") == ["Ann: plays the trumpet"]
    assert said(nexus, "Who plays the cello?", as_of=AsOf(transaction=1)) == [
        "Ann: plays the cello"
    ]


def test_what_has_ended_is_there_only_when_the_past_is_asked_for(nexus: Nexus) -> None:
    nexus.write(
        'UPSERT { CONCEPT @a { {type: "Person", name: "Ann"} } CONCEPT @b { {type: "City", '
        'name: "Graz"} } PROPOSITION @p { (@a, "lives_in", @b) } '
        'WITH METADATA { valid_until: "2020-01-01" } }'
    )
    assert "Ann lives_in Graz" not in said(nexus, "Where does Ann live?")
    (past, *_) = [
        one for one in nexus.recall("Where does Ann live?", past=True).memories if one.is_past
    ]
    assert past.passage == "Ann lives_in Graz"
    assert past.why["past"].words == "until 2020-01-01"
    assert sum(share.points for share in past.why.values()) == pytest.approx(past.score)


def test_what_begins_or_ends_between_two_questions_counts_without_a_write(nexus: Nexus) -> None:
    nexus.write(
        'UPSERT { CONCEPT @a { {type: "Person", name: "Ann"} } CONCEPT @b { {type: "City", '
        'name: "Graz"} } PROPOSITION @p { (@a, "lives_in", @b) } '
        'WITH METADATA { valid_from: "2024-11-01", valid_until: "2024-12-01" } }'
    )
    told: list[bool] = []
    for day in (0, 29, 31, 59, 61):  # from 2024-10-04
        CLOCK[0] = (20_000 + day) * DAY
        told.append("Ann lives_in Graz" in said(nexus, "Where does Ann live?"))
    assert told == [False, True, True, False, False]


def test_what_is_kept_of_common_words_changes_no_answer(tmp_path: Path) -> None:
    people = [
        PutConcept("Person", f"Person {at}", {"summary": f"sails {'boats ' * (at % 3)}"})
        for at in range(2_500)
    ]
    with Nexus.open(tmp_path / "memory.db") as nexus:
        nexus.write([*people, PutConcept("Person", "Ann", {"summary": "sails ships in Graz"})])
        asked = ("Who sails?", "Who sails boats?", "What does Ann sail?", "Who sails in Graz?")
        warm = [nexus.recall(one) for _ in range(2) for one in asked][-len(asked) :]
        for question, known in zip(asked, warm, strict=True):
            with Nexus.open(tmp_path / "memory.db") as other:
                fresh = other.recall(question, as_of=known.as_of)
            assert (fresh.memories, fresh.nearest) == (known.memories, known.nearest)


def test_copies_are_one_memory_with_a_count(nexus: Nexus) -> None:
    told = [
        PutConcept("Note", str(UUID(int=number)), {"label": "The gate code is 4711 since spring"})
        for number in range(20)
    ]
    nexus.write([*told, PutConcept("Note", "other", {"label": "The gate is green"})])
    found = nexus.recall("What is the gate code?", limit=5).memories
    assert sorted(one.copies for one in found) == [0, 19]


def test_a_question_about_nothing_known_is_answered_with_nothing(nexus: Nexus) -> None:
    nexus.write(TOLD)
    answer = nexus.recall("Which submarine did grandmother buy yesterday evening?")
    assert answer.memories == ()
    assert answer.nearest is not None


def test_pages_follow_one_another_at_one_moment(nexus: Nexus) -> None:
    nexus.write(TOLD)
    whole = [one.element.element.id for one in nexus.recall("Ann Miller").memories]
    first = nexus.recall("Ann Miller", limit=2)
    nexus.write('UPSERT { CONCEPT @b { {type: "Person", name: "Ann Miller II"} } }')
    second = nexus.recall("Ann Miller", limit=2, cursor=first.cursor)
    paged = [*first.memories, *second.memories]
    assert [one.element.element.id for one in paged] == whole[:4]
    assert second.cursor is None


def test_an_answer_keeps_to_its_tokens(nexus: Nexus) -> None:
    nexus.write(TOLD)
    short = nexus.recall("Ann Miller", max_tokens=1)
    assert len(short.memories) == 1
    assert short.cursor is not None


def test_words_are_stemmed_in_the_language_of_their_text(nexus: Nexus) -> None:
    nexus.write([PutConcept("Note", "n1", {"label": "Sie hat im Sommer die Wohnungen gestrichen"})])
    assert len(said(nexus, "Wann wurde die Wohnung gestrichen?")) == 1


def test_a_definition_or_an_evidence_is_no_memory(nexus: Nexus) -> None:
    nexus.write([PutConcept("$ConceptType", "Painter", {"description": "who paints"})])
    assert said(nexus, "Who paints?") == []


def test_elements_carry_their_clocks(nexus: Nexus) -> None:
    nexus.write(TOLD)
    first = nexus.recall("Ann Miller works at", kinds=["fact"]).memories[0].element
    assert isinstance(first.element, Link)
    assert first.created_at >= CLOCK[0]
    assert first.expired_at is None


def test_what_a_transaction_wrote_is_recalled_inside_it_and_forgotten_with_it(
    nexus: Nexus,
) -> None:
    nexus.write(TOLD)
    with nexus.transaction(dry_run=True):
        nexus.write([PutConcept("Note", "n1", {"label": "Zebras sleep standing"})])
        assert said(nexus, "How do zebras sleep?") == ["Zebras sleep standing"]
    assert said(nexus, "How do zebras sleep?") == []


def test_a_purge_leaves_nothing_to_recall(nexus: Nexus) -> None:
    nexus.write([PutConcept("Note", "n1", {"label": "Zebras sleep standing"})])
    (found,) = nexus.recall("How do zebras sleep?").memories
    assert isinstance(found.element.element, Concept)
    nexus.purge(found.element.element.id)
    assert nexus.recall("How do zebras sleep?", past=True).memories == ()


@pytest.mark.parametrize(
    "given",
    [
        {"question": " "},
        {"question": "Ann", "kinds": ["facts"]},
        {"question": "Ann", "limit": 0},
        {"question": "Ann", "cursor": "x"},
        {"question": "Ann", "cursor": "r1.0.0.0", "as_of": AsOf(transaction=1)},
    ],
)
def test_what_is_no_question_is_refused(nexus: Nexus, given: dict[str, object]) -> None:
    with pytest.raises(RecollectError) as raised:
        nexus.recall(**given)  # type: ignore[arg-type]
    assert raised.value.code.name == "INVALID_ARGUMENT" or raised.value.hint


def talk(nexus: Nexus, *turns: tuple[str, str, str]) -> None:
    with Operations(nexus, worker=False) as operations:
        operations.add_messages(
            group_id=nexus.group_name,
            messages=[
                {"role_type": "user", "role": role, "content": content, "timestamp": at}
                for role, content, at in turns
            ],
        )


def test_a_turn_that_tells_stands_above_one_that_only_asks(nexus: Nexus) -> None:
    talk(
        nexus,
        ("ann", "Did you see the new bicycle of Ben?", "2024-05-01T10:00:00Z"),
        ("eve", "The new bicycle of Ben is red", "2024-05-01T10:00:10Z"),
    )
    first, second = nexus.recall("Which colour has the new bicycle of Ben?").memories
    assert first.passage == "user(eve): The new bicycle of Ben is red"
    assert first.why["tells"].points > 0
    assert "tells" not in second.why


def test_a_turn_that_says_much_and_then_asks_tells_half_as_much(nexus: Nexus) -> None:
    rides = "I ride the bicycle of Ben to the market and back on every day without rain"
    talk(
        nexus,
        ("ann", "The bicycle of Ben has a flat tyre", "2024-05-01T10:00:00Z"),
        ("eve", f"{rides}. Do you?", "2024-05-01T12:00:00Z"),
        ("eve", "Is the bicycle of Ben new?", "2024-05-01T14:00:00Z"),
    )
    points = [
        one.why["tells"].points if "tells" in one.why else 0.0
        for one in sorted(
            nexus.recall("What about the bicycle of Ben?").memories, key=lambda one: one.passage
        )
    ]
    whole, half, none = points
    assert half == pytest.approx(whole / 2) and whole > 0 == none


def test_what_was_said_on_a_day_is_found_by_the_day_alone(nexus: Nexus) -> None:
    talk(
        nexus,
        ("ann", "We painted the fence", "2024-05-03T10:00:00Z"),
        ("ann", "Rain again", "2024-05-09T10:00:00Z"),
    )
    assert said(nexus, "What happened on 3 May 2024?")[:1] == ["user(ann): We painted the fence"]


def test_what_means_the_same_is_near_enough_without_a_word_in_common(nexus: Nexus) -> None:
    labels = ["The passport was lost", "The choir sings on Sundays"]
    nexus.write([PutConcept("Note", f"n{at}", {"label": one}) for at, one in enumerate(labels)])
    assert said(nexus, "Which paper went missing?")[:1] == labels[:1]


def test_what_is_told_in_one_language_is_found_in_another(nexus: Nexus) -> None:
    labels = ["The rent is due in March", "The dog sleeps in the kitchen"]
    nexus.write([PutConcept("Note", f"n{at}", {"label": one}) for at, one in enumerate(labels)])
    assert said(nexus, "Wann ist die Miete fällig?")[:1] == labels[:1]
    assert said(nexus, "Où dort le chien ?")[:1] == labels[1:]
    assert said(nexus, "Dove dorme il cane?")[:1] == labels[1:]


def test_what_is_far_from_the_others_in_meaning_is_a_memory_all_the_same(nexus: Nexus) -> None:
    same = [PutConcept("Note", f"n{at}", {"label": f"gate code {at}"}) for at in range(30)]
    nexus.write([*same, PutConcept("Note", "far", {"label": "gate music"})])
    found = nexus.recall("gate code", limit=100).memories
    assert len(found) == len(same) + 1
    assert min(one.score for one in found) >= 0


def test_a_name_alone_answers_no_question_about_it(nexus: Nexus) -> None:
    nexus.write(TOLD)
    assert said(nexus, "Where does Ann Miller work?")[0] == "Ann Miller works_at Acme"
    missed = nexus.recall("Which dentist does Ann Miller go to?")
    assert missed.memories == ()
    assert missed.nearest is not None
    assert "Ann Miller works_at Acme" in said(nexus, "What is Ann Miller to Acme?")  # both ends


def told_of(nexus: Nexus, *passages: tuple[str, str]) -> None:
    rain = (("Rain " + word, f"Rain {word} is a kind of weather") for word in "abcdefghijkl")
    nexus.write([PutConcept("Topic", name, {"summary": said}) for name, said in (*passages, *rain)])


def test_what_the_best_memory_names_is_found_with_it(nexus: Nexus) -> None:
    told_of(
        nexus,
        ("Blue Heron", "a film directed by Teresa Vane"),
        ("Teresa Vane", "grew up in Skagen"),
        ("Otto Lind", "grew up in Graz"),
    )
    found = nexus.recall("Where did the director of Blue Heron live as a child?").memories
    assert [one.passage for one in found][:2] == [
        "Blue Heron: a film directed by Teresa Vane",
        "Teresa Vane: grew up in Skagen",
    ]
    assert found[1].why["led"].words == "another that is found names it"
    assert "led" not in found[0].why
    for one in found:
        assert sum(share.points for share in one.why.values()) == pytest.approx(one.score)


def test_what_many_texts_name_is_led_to_by_none(nexus: Nexus) -> None:
    told_of(
        nexus,
        ("Skagen", "has a harbour"),
        *((f"Film {number}", f"shot in Skagen, reel {number}") for number in range(40)),
    )
    found = nexus.recall("Film 7 reel", limit=50).memories
    assert not any("led" in one.why for one in found)


def test_an_episode_is_found_by_its_title(nexus: Nexus) -> None:
    with Operations(nexus, worker=False) as operations:
        letter = {"source": "text", "reference_time": "2024-05-01T00:00:00Z"}
        operations.add_episodes(
            group_id=nexus.group_name,
            items=[
                {**letter, "name": "Minutes of the harbour board", "body": "The crane is painted"},
                {**letter, "name": "Letter", "body": "The crane flew south"},
            ],
        )
    (first, *_) = said(nexus, "What did the harbour board decide?")
    assert first == "Minutes of the harbour board: The crane is painted"


def test_what_a_first_question_reads_can_be_read_before(nexus: Nexus):
    nexus.write(TOLD)
    told: list[tuple[str, int, int]] = []
    assert not nexus.recall.is_prepared()
    nexus.recall.prepare(lambda *step: told.append(step))
    assert told and nexus.recall.is_prepared() and not nexus.group("other").recall.is_prepared()
    nexus.recall.prepare(lambda *step: told.append(step))
    assert len(told) == 1  # nothing is read twice
    assert said(nexus, "Where does Ann Miller work?")[0] == "Ann Miller works_at Acme"


def test_a_group_larger_than_all_that_is_kept_is_not_read_again(
    nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "_MOST_BYTES", 1)  # what a gigabyte is to a very large group
    nexus.write(TOLD)
    assert said(nexus, "Where does Ann Miller work?")[0] == "Ann Miller works_at Acme"
    assert nexus.recall.is_prepared()
    assert said(nexus.group("decoy"), "Where does Ann Miller work?")
    assert not nexus.recall.is_prepared()  # the one that was asked last stays


def test_a_large_group_is_read_in_parts_that_are_one(nexus: Nexus):
    people = [PutConcept("Person", f"Person {at}", {"summary": "sails"}) for at in range(20_500)]
    nexus.write(people)
    nexus.write([PutConcept("Person", "Person 7", {"summary": "paints"})])
    told: list[int] = []
    nexus.recall.prepare(lambda _, done, __: told.append(done))
    assert told == [20_000, 20_501]
    assert said(nexus, "Who paints?", limit=1) == ["Person 7: paints"]
    assert "Person 20499: sails" in said(nexus, "What does Person 20499 do?", limit=3)


def test_a_first_name_means_the_one_who_has_it_as_of_each_moment() -> None:
    with recollect.memory(":memory:") as memory:
        told = [
            {"subject": "Greta Holm", "predicate": "plays", "object": "cello"},
            {"subject": "Samuel Okoro", "predicate": "plays", "object": "chess"},
        ]
        memory.remember(facts=told)
        nexus = memory.nexus
        before = nexus.recall("What does Greta play?")
        assert before.memories[0].passage == "Greta Holm plays cello"
        assert "named" in before.memories[0].why
        assert nexus.recall("What does Greta Thun play?").memories == ()
        memory.remember(facts=[{"subject": "Greta Berg", "predicate": "owns", "object": "kayak"}])
        assert "named" not in nexus.recall("What does Greta play?").memories[0].why
        again = nexus.recall("What does Greta play?", as_of=before.as_of)
        assert [one.score for one in again.memories] == [one.score for one in before.memories]


@pytest.mark.parametrize(
    "question", ["What do you know about Maria?", "What does this memory know about Maria?"]
)
def test_who_asks_for_whatever_is_known_of_somebody_is_told(nexus: Nexus, question: str) -> None:
    nexus.write([PutConcept("Person", "Maria", {"town": "Bonn"})])
    assert [one.passage for one in nexus.recall(question).memories][:1] != []


LANTERN = [
    ("Project Lantern", "lead", "Tobias Lind"),
    ("Project Lantern", "deadline", "2027-02-15"),
    ("Project Lantern", "budget", "240000"),
    ("Nadia Ferreira", "job_title", "firmware engineer"),
    ("Nadia Ferreira", "lives_in", "Gothenburg"),
    ("Nadia Ferreira", "works_at", "Halden Robotics"),
    ("Nadia Ferreira", "plays", "cello"),
    ("Tobias Lind", "has_pet", "greyhound"),
]


@pytest.fixture(scope="module")
def of_lantern() -> Iterator[recollect.Memory]:
    names = ("subject", "predicate", "object")
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[dict(zip(names, one, strict=True)) for one in LANTERN])
        yield memory


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who is in charge of Lantern these days?", "Project Lantern lead Tobias Lind"),
        ("¿Cuándo hay que entregar el proyecto Lantern?", "Project Lantern deadline 2027-02-15"),
        ("Who heads Project Lantern?", "Project Lantern lead Tobias Lind"),
        ("What does Nadia do for a living?", "Nadia Ferreira job title firmware engineer"),
    ],
)
def test_a_question_in_other_words_about_a_part_of_a_name_is_answered(
    of_lantern: recollect.Memory, question: str, found: str
) -> None:
    assert found in [one.memory.text for one in of_lantern.recall(question).memories[:3]]


@pytest.mark.parametrize(
    "question",
    ["What is Nadia's shoe size?", "Who is Tobias's dentist?", "What blood type has Nadia?"],
)
def test_what_is_near_a_person_and_not_the_question_is_no_answer(
    of_lantern: recollect.Memory, question: str
) -> None:
    assert not of_lantern.recall(question).memories


def break_off(*_: object) -> None:
    raise KeyboardInterrupt


def test_what_was_withdrawn_stays_so_where_reading_it_was_broken_off(nexus: Nexus) -> None:
    nexus.write(TOLD)
    assert said(nexus, "Where does Ann Miller work?")[0] == "Ann Miller works_at Acme"
    nexus.write('DELETE PROPOSITIONS ?one WHERE { ?one (?person, "works_at", ?firm) }')
    nexus.write([PutConcept("Person", "Bo Berg", {"summary": "sails"})])
    with pytest.raises(KeyboardInterrupt):
        nexus.recall.prepare(break_off)
    assert "Ann Miller works_at Acme" not in said(nexus, "Where does Ann Miller work?")


def test_a_name_means_its_own_where_the_first_reading_was_broken_off(nexus: Nexus) -> None:
    people = ("Ann Lee", "Bo Berg", "Cleo Green")
    nexus.write([PutConcept("Person", name, {"summary": "sails"}) for name in people])
    with pytest.raises(KeyboardInterrupt):
        nexus.recall.prepare(break_off)
    nexus.write([PutConcept("Person", "Ann Lee", {"summary": "sails far"})])  # one row more
    found = nexus.recall("What does Cleo Green do?").memories
    named = [one.element.element.name for one in found if "named" in one.why]  # type: ignore[union-attr]
    assert named == ["Cleo Green"]


def test_no_page_leaves_out_an_author_that_a_later_one_brings_forward() -> None:
    colours = "red blue green white black pink brown grey gold silver amber beige coral ivory"
    with recollect.memory(":memory:") as memory:
        told = [("Ann", f"{one} boat", "a catalogue") for one in [*colours.split(), "lilac", "tan"]]
        told += [
            ("Ann", f"{one} boat which lies at the pier of the old lake", f"witness {one}")
            for one in ("plum", "teal", "rust", "sand")
        ]
        memory.remember(
            facts=[
                {"subject": who, "predicate": "owns_boat", "object": what, "source": source}
                for who, what, source in told
            ]
        )
        found, cursor = list[str](), None
        while cursor is not None or not found:
            page = memory.recall("Which boat does Ann own?", limit=5, cursor=cursor)
            found += [one.memory.id for one in page.memories]
            cursor = page.cursor
        assert len(found) == len(set(found)) and len(found) > len(told)
        whole = memory.recall("Which boat does Ann own?", limit=len(found))
        assert [one.memory.id for one in whole.memories] == found


def test_the_words_of_what_was_rolled_back_change_no_answer() -> None:
    told = [{"role": one, "content": "Ann Lee likes Bern"} for one in ("Ann", "Lee")]
    with recollect.memory(":memory:") as memory:
        memory.remember(messages=told)
        asked = "Where does Ann Lee dwell?"
        before = memory.recall(asked).memories
        with pytest.raises(KeyboardInterrupt), memory.nexus.transaction():
            memory.remember(messages=[{"role": "Bo", "content": "They dwell in a tent"}])
            assert memory.recall(asked).memories
            break_off()
        assert "words" in before[0].why
        assert memory.recall(asked).memories == before
