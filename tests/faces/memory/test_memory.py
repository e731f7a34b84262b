"""Memory, the front door: what it keeps, what it refuses, and what it says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.faces.memory.journey import MARIA, lines_about

import recollect
from recollect import Memory, RecollectError
from recollect.faces.claims import Actor, Claim, Writer, evidence_from, one_claim
from recollect.faces.memory import EFFECTS
from recollect.model import Put


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="bot") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{**MARIA[0], "object": "Decoy"}])
        yield memory


def refused(call: object, **given: object) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        call(**given)  # type: ignore[operator]
    return caught.value


def test_telling_again_with_only_an_end_keeps_everything_else(memory: Memory) -> None:
    fact = {"subject": "Maria", "predicate": "lives_in", "object": "Munich"}
    rich = {**fact, "text": "Maria has a flat in Munich", "source": "a letter", "confidence": 0.8}
    told = memory.remember(facts=[rich]).facts[0]
    ended = memory.remember(facts=[{**fact, "invalid_at": "2026-10"}]).facts[0]
    assert ended.id == told.id
    assert (ended.text, ended.source, ended.confidence) == (
        "Maria has a flat in Munich",
        "a letter",
        0.8,
    )
    assert ended.standing == "until 2026-10-01"


def test_what_may_hold_beside_is_told_and_not_ended(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "Maria", "predicate": "likes", "object": "tea"}])
    told = memory.remember(facts=[{"subject": "Maria", "predicate": "likes", "object": "coffee"}])
    assert told.ended == ()
    assert [one.line for one in told.also_holds] == ["Maria likes tea"]
    held = told.also_holds[0].id
    memory.remember(
        facts=[{"subject": "Maria", "predicate": "likes", "object": "juice", "replaces": held}]
    )
    assert lines_about(memory, "Maria") == ["Maria likes coffee", "Maria likes juice"]


def test_a_second_number_is_printed_with_what_ends_the_first(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "Maria", "predicate": "phone", "object": "555 0100"}])
    told = memory.remember(facts=[{"subject": "Maria", "predicate": "phone", "object": "555 0199"}])
    line, hint = str(told).splitlines()[1].split("; ")
    assert line == "also_holds: Maria phone 555 0100"
    memory.forget(**json.loads(hint.removeprefix("forget with ")))
    assert lines_about(memory, "Maria") == ["Maria phone 555 0199"]


def test_a_new_address_ends_the_older(memory: Memory) -> None:
    for address in ("Elm Street 1", "Oak Lane 2"):
        fact = {"subject": "Maria", "predicate": "address", "object": address}
        told = memory.remember(facts=[fact])
    assert [one.line for one in told.ended] == ["Maria address Elm Street 1"]


def test_a_predicate_in_words_is_the_one_that_joins_them(memory: Memory) -> None:
    lives = {"subject": "Henrik", "predicate": "lives in", "object": "Bergen"}
    first = memory.remember(facts=[lives]).facts[0]
    assert first.predicate == "lives_in"
    moved = memory.remember(facts=[{**lives, "predicate": "lives_in", "object": "Oslo"}])
    assert [one.id for one in moved.ended] == [first.id]


def test_one_name_is_one_thing(memory: Memory) -> None:
    memory.nexus.write('UPSERT { CONCEPT { {type: "Person", name: "Maria Lopez"} } }')
    fact = {"subject": "Maria Lopez", "predicate": "likes", "object": "tea"}
    assert memory.remember(facts=[fact]).facts[0].subject == "Maria Lopez"
    named = 'FIND(?x.type) WHERE { ?x {name: "Maria Lopez"} }'
    assert memory.nexus.read(named).results[0].rows == [("Person",)]


def test_of_several_of_a_name_one_is_asked_for(memory: Memory) -> None:
    for kind in ("City", "Person"):
        memory.nexus.write(f'UPSERT {{ CONCEPT {{ {{type: "{kind}", name: "Paris"}} }} }}')
    fact = {"subject": "Paris", "predicate": "likes", "object": "tea"}
    error = refused(memory.remember, facts=[fact])
    assert '{"type": "City", "name": "Paris"}' in error.hint
    fact["subject"] = {"type": "Person", "name": "Paris"}
    assert memory.remember(facts=[fact]).facts[0].text == "Paris likes tea"


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ({"subject": "A", "predicate": "b"}, "facts[0].object is missing"),
        ({"subject": "", "predicate": "b", "object": "c"}, "facts[0].subject is blank"),
        ({"subject": 1, "predicate": "b", "object": "c"}, "facts[0].subject is no name"),
        ({"subject": "A", "predicate": "b", "object": "c", "when": "x"}, "no member when"),
        ({"subject": "A", "predicate": "b", "object": "c", "valid_at": "May"}, "facts[0].valid_at"),
        (
            {"subject": "A", "predicate": "b", "object": "c", "confidence": 2},
            "facts[0].confidence is 2",
        ),
        (
            {"subject": "A", "predicate": "b", "object": "c", "replaces": "nothing"},
            "which is to be replaced",
        ),
    ],
)
def test_a_fact_that_cannot_be_read_changes_nothing(memory: Memory, fact, told: str) -> None:
    before = memory.nexus.stats()
    assert told in refused(memory.remember, facts=[MARIA[1], fact]).message.replace("[1]", "[0]")
    assert memory.nexus.stats() == before


@pytest.mark.parametrize(
    ("keys", "meant"),
    [
        (("since", "from", "start", "date", "when", "valid_from"), "valid_at"),
        (("until", "to", "end", "valid_until"), "invalid_at"),
        (("sourse",), "source"),
    ],
)
def test_another_word_for_a_member_of_a_fact_is_answered_with_the_member(
    memory: Memory, keys: tuple[str, ...], meant: str
) -> None:
    for key in keys:
        error = refused(memory.remember, facts=[{**MARIA[1], key: "2020"}])
        assert f"no member {key}; a fact has subject, predicate, object, text" in error.message
        assert (error.hint, error.known) == (f"use {meant}", (meant,))


def test_the_sentence_of_a_fact_may_be_called_fact_but_not_said_in_two_ways(
    memory: Memory,
) -> None:
    told = {"subject": "Ben", "predicate": "likes", "object": "tea", "fact": "Ben loves tea"}
    assert memory.remember(facts=[told]).facts[0].text == "Ben loves tea"
    assert memory.remember(facts=[{**told, "text": "Ben loves tea"}]).ended == ()
    error = refused(memory.remember, facts=[{**told, "text": "Ben hates tea"}])
    assert "facts[0].text and facts[0].fact differ" in error.message


def test_an_agent_says_what_its_word_rests_on(memory: Memory) -> None:
    assert "no evidence" in refused(memory.remember, text="Ann likes tea").message
    assert memory.list("claim").memories == ()


def test_a_persons_word_is_evidence_of_itself() -> None:
    with recollect.memory(":memory:", actor="ann", is_person=True) as memory:
        claim = memory.remember("I like short answers").claim
        assert claim is not None
        assert claim.evidence[0]["kind"] == "human_assertion"
        again = memory.remember("I like short answers").claim
        assert again == claim


def test_a_message_without_a_name_is_shown_as_of_its_role() -> None:
    with recollect.memory(":memory:") as memory:
        said = {"content": "Noted: foo(): bar", "role_type": "assistant"}
        memory.remember(messages=[said, {**said, "role": "Bo"}])
        shown = [one.text for one in memory.list("episode").memories]
        assert sorted(shown) == ["assistant(Bo): Noted: foo(): bar", "assistant: Noted: foo(): bar"]
        found = memory.recall("What was noted?").memories
        assert {one.memory.text for one in found} <= {*shown}


def test_an_answer_is_printed_as_what_it_says(memory: Memory) -> None:
    works = {"subject": "Ben", "predicate": "works_at", "object": "BMW", "valid_at": "2020"}
    memory.remember(facts=[works])
    told = memory.remember(facts=[{**works, "object": "Audi", "valid_at": "2021"}])
    assert str(told).splitlines()[:-1] == [
        "facts: Ben works at Audi (since 2021)",
        "ended: Ben works at BMW (until 2021-01-01)",
    ]
    corrected = memory.correct(told.facts[0].id, object="Fiat")
    assert str(corrected).splitlines()[:-1] == [
        "memory: Ben works at Fiat (since 2021)",
        "before: Ben works at Audi (since 2021)",
        f"undo: undo {corrected.memory.id}",
    ]
    why = memory.why(corrected.memory.id)
    day = why.history[0].at[:10]
    assert f"history: {day}  create by {memory.actor.actor_id}" in str(why).splitlines()
    assert "None" not in str(why)


def test_what_is_not_said_clearly_is_not_forgotten(memory: Memory) -> None:
    assert "it is not said what" in refused(memory.forget).message
    error = refused(memory.forget, what="tea", effect="delete")
    assert error.known == EFFECTS
    assert "ends nothing" in refused(memory.forget, what="tea", at="2026").message


def test_what_came_from_a_source_is_forgotten_together(memory: Memory) -> None:
    for name in ("tea", "coffee"):
        fact = {"subject": "Maria", "predicate": "likes", "object": name, "source": "a guess"}
        memory.remember(facts=[fact])
    memory.remember(facts=[MARIA[2]])
    shown = memory.forget(source="a guess")
    assert shown.is_dry_run and len(shown.memories) == 2
    memory.forget(source="a guess", dry_run=False)
    assert lines_about(memory, "Maria") == ["Maria age 34"]


def test_a_claim_that_corrects_another_is_about_the_same(memory: Memory) -> None:
    evidence = [{"kind": "user_statement", "detail": "so I heard"}]
    about = {"project": "p", "scope_type": "agent", "scope_id": "a", "domain": "d"}
    old = Claim("it is green", evidence_from(evidence), id="c", tags=["t"], **about)
    Writer(memory.nexus).write([old], Actor("agent", "bot"))
    done = memory.correct("c", text="it is blue", evidence=evidence)
    new = one_claim(memory.nexus, done.memory.id)
    assert new is not None and new.supersedes == "c"
    assert {name: getattr(new, name) for name in about} == about and list(new.tags) == ["t"]


@pytest.mark.parametrize("confidence", [None, 0.3])
@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        (
            "Caf\u0065\u0301 Acme opens at nine",
            [{"kind": "user_statement", "detail": "so she said"}],
        ),
        ("word " * 400, [{"kind": "file", "path": f"notes/{one}.md"} for one in range(8)]),
        ("Ann is in Rome", [{"kind": "url", "url": "https://a.example", "fetched_at": 1.5}] * 2),
    ],
)
def test_a_claim_is_shown_as_it_is_read_later(memory: Memory, text, evidence, confidence) -> None:
    memory.remember("Ann is in Paris", evidence=evidence[:1])
    told = memory.remember(text, evidence=evidence, confidence=confidence)
    assert memory.why(told.claim.id).memory == told.claim
    with memory.nexus.transaction():
        other = memory.remember(f"not: {text}", evidence=evidence, confidence=confidence).claim
        assert memory.why(other.id).memory == other
    assert memory.remember(text, evidence=evidence).claim == told.claim


def test_a_concept_is_corrected_and_that_is_undone(memory: Memory) -> None:
    memory.remember(facts=MARIA)
    (maria,) = [one for one in memory.list("concept").memories if one.name == "Maria"]
    memory.correct(maria.id, attributes={"role": "engineer"})
    done = memory.correct(maria.id, attributes={"role": "director"})
    assert done.memory.attributes == {"role": "director"}
    assert memory.undo(maria.id).memory.attributes == {"role": "engineer"}


def test_pages_of_a_kind_hold_each_memory_once(memory: Memory) -> None:
    facts = [{"subject": "A", "predicate": "knows", "object": f"B{at}"} for at in range(25)]
    memory.remember(facts=facts)
    seen, cursor = [], None
    while True:
        page = memory.list("fact", limit=10, cursor=cursor)
        seen += [one.object for one in page.memories]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(seen) == sorted(f"B{at}" for at in range(25))


def test_another_group_is_never_seen(memory: Memory) -> None:
    memory.remember(facts=[MARIA[1]])
    assert all("Decoy" not in str(one) for one in memory.list(past=True).memories)
    assert "Decoy" not in memory.brief().text


def test_an_empty_memory_says_so(memory: Memory) -> None:
    assert memory.recall("anything?").memories == ()
    assert "bot" in memory.brief().text
    assert memory.list().memories == ()


def test_what_says_only_its_name_counts_less_than_what_says_more(memory: Memory) -> None:
    memory.remember(facts=MARIA)
    found = [one.memory.text for one in memory.recall("What tea does Maria like?").memories]
    assert found[0] == "Maria likes green tea"
    assert found.index("Maria age 34") < found.index("green tea")


def test_what_was_wrong_is_believed_no_longer_though_it_had_no_date(memory: Memory) -> None:
    fact = {"subject": "Priya", "predicate": "works_at", "object": "Tata"}
    told = memory.remember(facts=[fact]).facts[0]
    right = memory.correct(told.id, object="Infosys")
    assert lines_about(memory, "Priya") == ["Priya works at Infosys"]
    wrong = lines_about(memory, "Priya", past=True)[1]
    assert wrong.startswith("Priya works at Tata (corrected 20")
    assert memory.why(told.id).memory.standing.startswith("corrected")
    memory.undo(told.id)
    assert lines_about(memory, "Priya") == ["Priya works at Tata"]
    assert memory.why(right.memory.id).memory.expired_at is not None


def test_a_withdrawn_concept_comes_back_with_what_was_said_of_it(memory: Memory) -> None:
    memory.remember(facts=MARIA)
    before = lines_about(memory, "Maria")
    (maria,) = [one for one in memory.list("concept").memories if one.name == "Maria"]
    memory.forget(id=maria.id)
    assert memory.recall("Maria").memories == () or "Maria" not in str(memory.list("fact").memories)
    assert memory.undo(maria.id).memory.name == "Maria"
    assert lines_about(memory, "Maria") == before


def test_a_concept_does_not_end(memory: Memory) -> None:
    memory.remember(facts=MARIA)
    (maria,) = [one for one in memory.list("concept").memories if one.name == "Maria"]
    assert "does not end" in refused(memory.forget, id=maria.id, effect="end").message


def test_what_is_erased_leaves_no_name_behind(memory: Memory) -> None:
    fact = {"subject": "Hilde", "predicate": "has_password", "object": "hunter2sesame"}
    told = memory.remember(facts=[fact, {**fact, "predicate": "has_pin", "object": 55443}]).facts
    for one in told:
        memory.forget(id=one.id, effect="erase")
    assert memory.list("concept").memories == ()
    assert memory.nexus.search("hunter2sesame").results[0].hits == ()


def test_a_brief_about_a_topic_keeps_to_it(memory: Memory) -> None:
    memory.remember(facts=[{**MARIA[0], "invalid_at": "2020"}, MARIA[1]])
    memory.remember("Hilde has asthma", evidence=[{"kind": "user_statement", "detail": "so"}])
    assert "nothing is remembered of it" in memory.brief("Nobody Known").text
    assert "Siemens" not in memory.brief("Nobody Known").text
    assert "Hilde has asthma [observed]" in memory.brief("Hilde").text
    assert "Siemens (2019 to 2020)" in memory.brief("Maria").text


def test_a_brief_about_a_word_that_nothing_holds_says_so(memory: Memory) -> None:
    told = [("Ann", "knows", "Ben"), ("Ann", "likes", "tea"), ("Ben", "owns", "a dog")]
    memory.remember(
        facts=[{"subject": one[0], "predicate": one[1], "object": one[2]} for one in told]
    )
    for topic in ("Nobody", "helicopters", "Alfred", "everyone"):
        assert f"About {topic}:\n- nothing is remembered of it" in memory.brief(topic).text
    assert "About dogs:\n- Ben owns a dog" in memory.brief("dogs").text


def test_a_new_job_ends_the_older_one(memory: Memory) -> None:
    job = {"subject": "Kwame", "predicate": "works_as", "object": "pilot"}
    memory.remember(facts=[job])
    (ended,) = memory.remember(facts=[{**job, "object": "teacher"}]).ended
    assert ended.line == "Kwame works as pilot"


def test_another_persons_fact_is_no_answer(memory: Memory) -> None:
    born = {"subject": "Nadia", "predicate": "born_on", "object": "14 March 1988"}
    memory.remember(
        facts=[born, {"subject": "Henrik", "predicate": "lives_in", "object": "Bergen"}]
    )
    found = [str(one) for one in memory.recall("When was Henrik born?").memories]
    assert "Nadia born on 14 March 1988" not in found[:1]
    assert str(memory.recall("When was Nadia born?").memories[0]) == "Nadia born on 14 March 1988"


def test_a_first_name_is_joined_by_the_text_that_is_proposed(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "Rosa Klein", "predicate": "works_at", "object": "Miele"}])
    told = memory.remember(facts=[{"subject": "Rosa", "predicate": "likes", "object": "figs"}])
    (notice,) = told.warnings
    memory.correct(**json.loads(notice.hint.removeprefix("correct with ")))
    assert lines_about(memory, "Rosa") == ["Rosa Klein works at Miele", "Rosa likes figs"]
    more = memory.remember(facts=[{"subject": "Rosa", "predicate": "likes", "object": "dates"}])
    assert (more.warnings, more.facts[0].subject) == ((), "Rosa Klein")


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (["Rosa Klein"], "rosa"),  # a colour
        (["Rosa Klein"], "Rosalind"),
        (["rosa quartz"], "Rosa"),
    ],
)
def test_what_may_be_somebody_else_is_not_proposed(
    memory: Memory, known: list[str], told: str
) -> None:
    memory.remember(
        facts=[{"subject": one, "predicate": "likes", "object": "tea"} for one in known]
    )
    assert (
        memory.remember(facts=[{"subject": "Bo", "predicate": "likes", "object": told}]).warnings
        == ()
    )


def test_of_a_first_name_of_two_both_are_named_and_none_is_proposed(memory: Memory) -> None:
    for whose in ("Rosa Klein", "Rosa Groß"):
        memory.remember(facts=[{"subject": whose, "predicate": "likes", "object": "tea"}])
    told = memory.remember(facts=[{"subject": "Rosa", "predicate": "lives_in", "object": "Ulm"}])
    (notice,) = told.warnings
    assert "Rosa Klein" in notice.message and "Rosa Groß" in notice.message
    joined = json.loads(notice.hint.removeprefix("correct with "))
    memory.correct(**joined | {"same_as": "Rosa Groß"})
    assert (
        "Rosa Groß" in str(memory.brief("Rosa Groß")) and len(lines_about(memory, "Rosa Groß")) == 2
    )


def test_what_is_no_person_and_does_nothing_gives_no_first_name(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "Bo", "predicate": "lives_in", "object": "New York"}])
    fact = {"subject": "Bo", "predicate": "likes", "object": "New"}
    assert memory.remember(facts=[fact]).warnings == ()


def test_messages_told_twice_are_kept_once(memory: Memory) -> None:
    said = [{"role": "ann", "content": "The roof leaks", "timestamp": "2026-01-01T09:00:00Z"}]
    first, again = memory.remember(messages=said), memory.remember(messages=said)
    assert first.episodes == again.episodes
    assert (first.transaction is None, again.transaction) == (False, None)
    assert len(memory.list("episode").memories) == 1


def test_what_holds_until_a_day_to_come_says_so_wherever_it_is_told(memory: Memory) -> None:
    home = {"subject": "Dana", "predicate": "lives_in"}
    memory.remember(
        facts=[{**home, "object": "Oslo"}, {**home, "object": "Rome", "valid_at": "2999"}]
    )
    told = "Dana lives in Oslo (until 2999-01-01)"
    (recalled, *_) = memory.recall("Where does Dana live?").memories
    assert str(recalled) == told
    assert told in [str(one) for one in memory.list("fact").memories]
    brief = str(memory.brief("Dana"))
    assert f"- {told}" in brief
    assert "- Dana lives in Rome (from 2999)" in brief


def test_a_brief_says_what_has_ended_of_what_a_question_names(memory: Memory) -> None:
    work = {"subject": "Dana", "predicate": "works_at", "object": "Acme", "invalid_at": "2020"}
    memory.remember(facts=[work])
    assert "- Dana works at Acme (until 2020)" in str(memory.brief("Where did Dana work?"))


def test_the_primer_tells_what_the_brief_tells_of_now(memory: Memory) -> None:
    told = {"subject": "Maria", "predicate": "works_at"}
    memory.remember(facts=[{**told, "object": "BMW", "valid_at": "2020", "invalid_at": "2999"}])
    memory.remember(facts=[{**told, "object": "Audi", "valid_at": "2999"}])
    memory.remember(facts=[{**told, "object": "Fiat", "valid_at": "2010", "invalid_at": "2020"}])
    memory.remember(facts=[{"subject": "Maria", "predicate": "likes", "object": "tea"}])
    memory.remember("Maria has a cat", evidence=[{"kind": "user_statement", "detail": "said"}])
    (primer,) = memory.nexus.read("DESCRIBE PRIMER").results
    holds = primer.body["holds"]
    assert holds == ["Maria likes tea", "Maria works at BMW (2020 to 2999)"]
    section = "\n".join(["What holds now:", *(f"- {one}" for one in holds), "What holds no longer"])
    assert section in str(memory.brief())


def test_a_brief_says_what_recall_compares(memory: Memory) -> None:
    assert "- you recall by words and meaning" in str(memory.brief())


def test_the_beginning_of_the_id_of_a_claim_means_it(memory: Memory) -> None:
    said = [{"kind": "user_statement", "detail": "x"}]
    first = memory.remember("Maria likes tea", evidence=said).claim
    other = memory.remember("Maria likes rain", evidence=said).claim
    assert first is not None
    assert other is not None
    assert memory.why(first.id[:8]).memory.id == first.id
    assert (
        memory.correct(first.id[:8], text="Maria likes mint", evidence=said).before.id == first.id
    )
    assert memory.forget(id=other.id[:8]).memories[0].id == other.id
    assert refused(memory.forget, id="nobody").code.code == "NOT_FOUND"


def test_an_undo_that_is_sent_again_leaves_one_truth(memory: Memory) -> None:
    fact = {"subject": "Kolibri", "predicate": "deadline", "object": "2026-12-18"}
    (told,) = memory.remember(facts=[fact]).facts
    corrected = memory.correct(told.id, object="2027-01-29").memory
    memory.undo(corrected.id)
    assert "this goes on as" in refused(memory.undo, id=corrected.id).message
    facts = [one.text for one in memory.list("fact").memories]
    assert facts == ["Kolibri deadline 2026-12-18"]


@pytest.mark.parametrize("right", [1978, True, "Lima", {"type": "Year", "name": "1978"}])
def test_a_number_is_corrected_to_what_is_right_and_that_is_undone(
    memory: Memory, right: object
) -> None:
    (told,) = memory.remember(
        facts=[{"subject": "Ann", "predicate": "marked_by", "object": 1979}]
    ).facts
    corrected = memory.correct(told.id, object=right).memory
    assert corrected.text != told.text
    assert [one.text for one in memory.list("fact").memories] == [corrected.text]
    assert memory.undo(corrected.id).memory.text == told.text


@pytest.mark.parametrize(
    "question",
    [
        "Where does Marguerite Sloane live?",
        "What is Gideon Farrow's job?",
        "Where does Torsten work?",
        "Wo wohnt Marguerite Sloane?",
    ],
)
def test_of_a_stranger_nothing_is_known(memory: Memory, question: str) -> None:
    memory.remember(facts=MARIA)
    assert memory.recall(question).memories == ()


def test_what_a_claim_says_of_somebody_is_found_by_their_name(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "Tomasz Brandt", "predicate": "likes", "object": "Lumen"}])
    said = "Tomasz Brandt is allergic to peanuts"
    memory.remember(said, evidence=[{"kind": "user_statement", "detail": said}])
    found = memory.recall("What must Tomasz not eat because of an allergy?").memories
    assert found[0].memory.text == said


@pytest.mark.parametrize(
    "given", ["she said so", ["she said so"], {"kind": "message", "detail": "she said so"}]
)
def test_what_is_no_evidence_is_refused_with_evidence_to_paste(given: object) -> None:
    with (
        recollect.memory(":memory:") as memory,
        pytest.raises(recollect.RecollectError) as refused,
    ):
        memory.remember("Ann likes tea", evidence=given)  # type: ignore[arg-type]
    assert '{"kind": "user_statement", "detail": ' in (refused.value.hint or "")


def test_a_fact_is_not_corrected_to_one_that_is_told_already() -> None:
    facts = [
        {"subject": "Bo", "predicate": "likes", "object": "Rome", "source": "a letter"},
        {"subject": "Bo", "predicate": "likes", "object": "Oslo"},
    ]
    with recollect.memory(":memory:") as memory:
        rome, oslo = (one.id for one in memory.remember(facts=facts).facts)
        before = memory.list("fact", past=True)
        with pytest.raises(RecollectError) as refused:
            memory.correct(rome, object="Oslo")
        assert (oslo in refused.value.message, memory.list("fact", past=True)) == (True, before)


def test_a_corrected_fact_keeps_what_it_was_learnt_from(memory: Memory) -> None:
    kept = memory.remember(messages=[{"role": "Ann", "content": "I work for Siemens"}])
    memory.remember(facts=[{"subject": "Ann", "predicate": "works_at", "object": "Siemens"}])
    (told,) = memory.list("fact").memories
    sources = {"sources": [*kept.episodes], "checked_by": "Bea"}
    memory.nexus.write([Put(told.id, metadata=sources)])
    corrected = memory.correct(told.id, object="Siemens Energy").memory
    why = memory.why(corrected.id)
    assert [one["id"] for one in why.episodes] == list(kept.episodes)
    assert why.history[-1].metadata["checked_by"] == "Bea"


def test_the_id_of_what_was_corrected_leads_to_what_stands_now() -> None:
    works = {"subject": "Bo", "predicate": "works_at", "object": "Miele"}
    with recollect.memory(":memory:") as memory:
        first = memory.remember(facts=[works]).facts[0].id
        second = memory.correct(first, object="Bosch").memory.id
        with pytest.raises(RecollectError, match=f"use {second}"):
            memory.correct(first, text="Bo is at work")
        restored = memory.undo(second).memory.id
        with pytest.raises(RecollectError, match=f"use {restored}"):
            memory.correct(first, text="Bo is at work")


def test_what_is_told_already_is_not_corrected_to_and_the_wrong_one_is_forgotten(
    memory: Memory,
) -> None:
    concert = {"subject": "The concert", "predicate": "is_on"}
    old, new = memory.remember(
        facts=[{**concert, "object": "May 9"}, {**concert, "object": "May 16"}]
    ).facts
    with pytest.raises(RecollectError, match=f"already, as {new.id}") as caught:
        memory.correct(old.id, object="May 16")
    memory.forget(**json.loads(caught.value.hint.removeprefix("forget with ")))
    assert lines_about(memory, "The concert") == ["The concert is on May 16"]


def test_a_message_without_a_time_is_of_that_of_the_one_before_it(memory: Memory) -> None:
    said = {"content": "I moved to Graz", "timestamp": "2024-05-01T10:00:00Z"}
    reply = {"role_type": "assistant", "content": "Congratulations"}
    ids = memory.remember(messages=[said, reply]).episodes
    assert memory.remember(messages=[said, reply]).episodes == ids
    days = [one.when for one in memory.list("episode").memories]
    assert days == ["on 2024-05-01", "on 2024-05-01"]
