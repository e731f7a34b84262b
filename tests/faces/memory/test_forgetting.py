"""What is forgotten by where it comes from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import recollect
from behind import BYTES, held
from recollect.errors import RecollectError
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece
from recollect.faces.memory import Effect, forgetting
from recollect.kernel import Nexus


def test_a_session_is_forgotten_with_its_episodes_and_no_other():
    with recollect.memory(":memory:", actor="agent") as memory:
        said = memory.remember(
            messages=[
                {"content": "I live in Lisbon.", "source_description": "chat-1"},
                {"content": "I like tea.", "source_description": "chat-2"},
            ]
        )
        shown = memory.forget(session="chat-1")
        assert shown.is_dry_run
        assert [one.id for one in shown.memories] == [said.episodes[0]]
        memory.forget(session="chat-1", dry_run=False)
        assert [one.id for one in memory.list("episode").memories] == [said.episodes[1]]
        assert memory.forget(session="chat-9").memories == ()


def test_a_whole_id_in_the_place_of_a_question_is_an_id() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        golf = {"subject": "Ida", "predicate": "plays", "object": "golf"}
        told = memory.remember(facts=[golf, {**golf, "object": "chess"}])
        done = memory.forget(told.facts[0].id)
        assert [str(one.object) for one in done.memories] == ["golf"] and not done.is_dry_run
        assert [str(one.object) for one in memory.list("fact").memories] == ["chess"]


def test_a_question_forgets_what_is_told_of_a_thing_and_not_the_thing():
    with recollect.memory(":memory:", actor="agent") as memory:
        home = {"subject": "Maria", "predicate": "lives_at", "object": "Rosenweg 5"}
        work = {"subject": "Maria", "predicate": "works_at", "object": "BMW"}
        memory.remember(facts=[home, work])
        memory.forget("Where does Maria live? Rosenweg", limit=1, dry_run=False)
        told = [one.text for one in memory.list(about="Maria").memories if one.kind == "fact"]
        assert told == ["Maria works at BMW"]


def test_a_question_forgets_every_copy_of_what_it_finds():
    said = [
        {"content": "The gate code is 4711 since spring", "timestamp": f"2026-01-0{day}T09:00:00Z"}
        for day in (1, 2, 3)
    ]
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember(messages=said)
        (found,) = memory.recall("What is the gate code?").memories
        assert found.copies == 2
        assert len(memory.forget("What is the gate code?").memories) == 3
        memory.forget("What is the gate code?", effect="erase", dry_run=False)
        assert memory.list("episode").memories == ()


def test_a_withdrawn_message_comes_back_by_undo_or_by_being_told_again():
    said = [{"content": "The roof leaks", "timestamp": "2026-01-01T09:00:00Z"}]
    with recollect.memory(":memory:", actor="agent") as memory:
        (one,) = memory.remember(messages=said).episodes
        for again in (memory.undo, lambda _: memory.remember(messages=said)):
            memory.forget(id=one)
            assert memory.recall("Does the roof leak?").memories == ()
            again(one)
            (found,) = memory.recall("Does the roof leak?").memories
            assert found.memory.id == one


def test_a_withdrawn_claim_that_is_told_again_counts_again_and_says_so():
    said = [{"kind": "user_statement", "detail": "The roof leaks"}]
    with recollect.memory(":memory:", actor="agent") as memory:
        first = memory.remember("The roof leaks", evidence=said).claim
        memory.forget(id=first.id)
        assert memory.recall("Does the roof leak?").memories == ()
        again = memory.remember("The roof leaks", evidence=said)
        assert (again.claim.id, again.claim.standing, again.claim.status) == (
            first.id,
            "",
            "verified",
        )
        assert [one.code for one in again.warnings] == ["counts_again"]
        assert [one.memory.id for one in memory.recall("Does the roof leak?").memories] == [
            first.id
        ]
        assert memory.remember("The roof leaks", evidence=said).warnings == ()
        assert again.warnings[0].hint == f"forget {first.id}"
        memory.forget(id=first.id)
        assert memory.recall("Does the roof leak?").memories == ()


def test_a_beginning_guessed_by_what_is_forgotten_is_told_of_with_how_it_is_put_right():
    works = {"subject": "Ann", "predicate": "works_at"}
    with recollect.memory(":memory:", actor="agent") as memory:
        before = {**works, "object": "Siemens", "valid_at": "2015", "invalid_at": "2020-05"}
        (siemens,) = memory.remember(facts=[before]).facts
        (bmw,) = memory.remember(facts=[{**works, "object": "BMW"}]).facts
        assert bmw.valid_at[:10] == "2020-05-01"
        assert memory.forget(id=bmw.id, dry_run=True).warnings == ()
        assert memory.forget(source=siemens.id).warnings == ()
        (notice,) = memory.forget(id=siemens.id).warnings
        assert (notice.code, "BMW" in notice.message) == ("guess_stays", True)
        put_right = json.loads(notice.hint.removeprefix("correct with "))
        memory.correct(**{**put_right, "valid_at": "2018"})
        back = memory.undo(siemens.id).memory
        assert memory.forget(id=back.id).warnings == ()  # it is told now, and no guess


def test_a_dry_run_tells_all_that_erasing_takes_and_it_is_one_transaction():
    with recollect.memory(":memory:", actor="agent") as memory:
        walnuts = {"subject": "Ilse", "predicate": "allergic_to", "object": "walnuts"}
        lives = {"subject": "Ilse", "predicate": "lives_in", "object": "Leipzig"}
        told = memory.remember(facts=[walnuts, lives]).facts
        (shown,) = memory.forget(id=told[0].id, effect="erase", dry_run=True).receipts
        assert (shown["concepts"], shown["links"]) == (1, 1)
        before = memory.nexus.stats().transactions
        (receipt,) = memory.forget(id=told[0].id, effect="erase").receipts
        assert receipt["ids"] == shown["ids"]
        assert memory.nexus.stats().transactions == before + 1
        memory.forget(since="2020", effect="erase", dry_run=False)
        assert memory.list("concept").memories == ()


def test_a_piece_is_forgotten_and_corrected_as_its_knowledge_base_does_it():
    with (
        recollect.memory(":memory:", actor="agent") as memory,
        KnowledgeBase(nexus=memory.nexus) as kb,
    ):
        kb.bulk_load([KnowledgePiece(f"Mesh of {one}.", one, entity_id=one) for one in "abc"])
        loaded = memory.nexus.stats().transactions
        first, second, third = memory.recall("mesh", kinds=["piece"]).memories
        corrected = memory.correct(first.memory.id, text="Grid of a.").memory
        assert (corrected.id, corrected.text) == (first.memory.id, "Grid of a.")
        assert kb.get_piece(corrected.name).content == "Grid of a."
        for said in ({"text": "password: hunter2"}, {"text": " "}, {"object": "x"}):
            with pytest.raises(RecollectError, match="INVALID_ARGUMENT"):
                memory.correct(corrected.id, **said)
        forgotten = memory.forget(id=second.memory.id)
        assert forgotten.memories[0].standing.startswith("withdrawn")
        assert kb.get_piece(second.memory.name) is None
        done = memory.nexus.changes(loaded)
        assert [one.transaction.actor for one in done] == ["agent", "agent"]
        assert kb.add_piece(KnowledgePiece("Again.", second.memory.name)) == second.memory.name
        assert [one.id for one in memory.forget("mesh", dry_run=False).memories] == [
            third.memory.id
        ]
        assert kb.get_piece(third.memory.name) is None


@BYTES
def test_a_claim_is_erased_with_what_was_refused_in_the_same_words(tmp_path: Path) -> None:
    path, secret = tmp_path / "me.db", "Maria keeps the spare key under the zinnias"
    with recollect.memory(path, actor="bot") as memory:
        with pytest.raises(RecollectError):
            memory.remember(secret)
        said = [{"kind": "user_statement", "detail": "she said so"}]
        claim = memory.remember(secret, evidence=said).claim
        assert claim is not None
        for at in range(101):  # so that what was refused first makes room
            with pytest.raises(RecollectError):
                memory.remember(f"unfounded {at}")
        memory.remember("Maria likes tea", evidence=said)
        memory.forget(id=claim.id, effect="erase")
        assert memory.list("claim").memories[0].text == "Maria likes tea"
    files = [one.read_bytes() for one in tmp_path.iterdir()]
    assert files
    assert not any(b"zinnias" in one for one in files)


def test_what_is_erased_is_named_by_its_whole_id():
    said = "Lions live in prides"
    with recollect.memory(":memory:", actor="agent") as memory:
        evidence = [{"kind": "user_statement", "detail": said}]
        claim = memory.remember(said, evidence=evidence).claim
        assert claim is not None
        with pytest.raises(RecollectError, match="by its whole id") as raised:
            memory.forget(id=claim.id[:8], effect="erase")
        assert raised.value.hint == f"use {claim.id}"
        assert memory.recall("Where do lions live?").memories
        assert memory.forget(id=claim.id, effect="erase").receipts


def test_nobody_tells_more_of_what_is_left_alone_while_it_is_erased(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [{"subject": "Zorro", "predicate": "knows", "object": "Quux"}]
    more = [{"subject": "Alice", "predicate": "likes", "object": "Quux"}]
    with recollect.memory(address) as memory, recollect.memory(address, busy_seconds=0.2) as other:
        (fact,) = memory.remember(facts=told).facts
        left_alone, answers = forgetting._left_alone, list[str]()

        def tell() -> None:
            try:
                other.remember(facts=more)
                answers.append("kept")
            except RecollectError as error:
                answers.append(error.code.code)

        def interrupted(nexus: Nexus, ids: Sequence[str]) -> list[str]:  # before it is erased
            found = left_alone(nexus, ids)
            with ThreadPoolExecutor(1) as pool:
                pool.submit(tell).result()
            return found

        monkeypatch.setattr(forgetting, "_left_alone", interrupted)
        (receipt,) = memory.forget(id=fact.id, effect="erase").receipts
        assert answers == ["STORE_BUSY"]
        assert receipt["is_complete"] and receipt["concepts"] == 2
        assert memory.list(past=True).memories == ()


def test_what_happened_in_a_time_is_forgotten_whenever_it_was_told():
    with recollect.memory(":memory:", actor="agent") as memory:
        home = {"subject": "Maria", "predicate": "lives_in"}
        memory.remember(
            facts=[
                {**home, "object": "Ulm", "valid_at": "2023-05"},
                {**home, "object": "Bonn", "valid_at": "2025"},
                {"subject": "Maria", "predicate": "likes", "object": "figs"},
            ],
            messages=[{"content": "The roof leaks", "timestamp": "2023-06-01T09:00:00Z"}],
        )
        during = {"happened_since": "2023", "happened_until": "2024"}
        found = memory.forget(**during).memories
        assert sorted(map(str, found)) == [
            "Maria lives in Ulm (2023-05 to 2025-01-01)",
            "user: The roof leaks (on 2023-06-01)",
        ]
        assert memory.forget(since="2023", until="2024").memories == ()  # nothing was told then
        memory.forget(**during, effect="erase", dry_run=False)
        left = [one.text for one in memory.list("fact", past=True).memories]
        assert sorted(left) == ["Maria likes figs", "Maria lives in Bonn"]


@pytest.mark.parametrize("named", ["fact", "concept", "question"])
def test_what_was_refused_is_erased_with_what_its_words_name(named: str, tmp_path: Path):
    path = tmp_path / "memory.db"
    with recollect.memory(path, actor="agent") as memory:
        facts = [{"subject": "Quentin", "predicate": "likes", "object": "figs"}]
        (fact,) = memory.remember(facts=facts).facts
        for text in ("Quentin likes figs a lot", "Rosa likes figs"):
            with pytest.raises(RecollectError):
                memory.remember(text)
        (quentin,) = [one for one in memory.list("concept").memories if one.name == "Quentin"]
        ids = {"fact": fact.id, "concept": quentin.id}
        what = None if named in ids else "Quentin likes"
        shown = memory.forget(what, id=ids.get(named), effect="erase", dry_run=True)
        assert "Quentin likes figs a lot" in [one.text for one in shown.memories]
        memory.forget(what, id=ids.get(named), effect="erase", dry_run=False)
    left = held(path)
    assert (b"Quentin" in left, b"Rosa likes figs" in left) == (False, True)


@pytest.mark.parametrize(
    ("what", "meant"),
    [
        ("Ida theorbo", ["Ida plays theorbo"]),
        ("Ida viola", []),  # each of them is known, and nothing is of both
        ("Ida figs", ["She adores them dried"]),
        ("theorbo", ["Bob plays theorbo", "Ida plays theorbo"]),
        ("Where does Ida live?", ["Ida lives in Ulm"]),
        ("Ida's sister's address", ["Bea lives at Elm Street"]),
        ("gate code", ["user(Ann): The gate code is 4711."]),  # and not the turn beside it
        ("everything about Bea", ["Bea lives at Elm Street", "Ida sister Bea"]),
    ],
)
def test_a_question_forgets_what_holds_all_that_it_names(what: str, meant: list[str]):
    facts = [
        ("Ida", "plays", "theorbo"),
        ("Ida", "lives_in", "Ulm"),
        ("Ida", "sister", "Bea"),
        ("Bea", "lives_at", "Elm Street"),
        ("Bob", "plays", "theorbo"),
        ("Anna Weiss", "plays", "viola"),
    ]
    figs = {"subject": "Ida", "predicate": "likes", "object": "figs"}
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember(
            facts=[
                *({"subject": a, "predicate": b, "object": c} for a, b, c in facts),
                {**figs, "text": "She adores them dried"},
            ],
            messages=[
                {"role": "Ann", "content": "The gate code is 4711."},
                {"role": "Bob", "content": "Ok, thanks."},
            ],
        )
        assert sorted(one.text for one in memory.forget(what).memories) == meant


def test_a_name_that_is_known_no_longer_forgets_what_is_said_of_others():
    said = [{"kind": "user_statement", "detail": "no peanuts"}]
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember(facts=[{"subject": "Oskar Lind", "predicate": "owns", "object": "a bass"}])
        memory.remember("Anna Kowalski is allergic to peanuts", evidence=said)
        assert [one.kind for one in memory.forget("Oskar Lind").memories] == ["fact"]
        memory.forget("Oskar Lind", dry_run=False)
        assert memory.forget("Oskar Lind").memories == ()


@pytest.mark.parametrize("effect", ["withdraw", "end"])
def test_why_something_is_forgotten_is_kept_with_it_until_that_is_undone(effect: Effect):
    with recollect.memory(":memory:", actor="agent") as memory:
        facts = [{"subject": "Ida", "predicate": "plays", "object": "theorbo"}]
        (fact,) = memory.remember(facts=facts).facts
        memory.forget(id=fact.id, effect=effect, reason="she sold it")
        assert "she sold it" in str(memory.why(fact.id).history)
        now = memory.undo(fact.id).memory
        assert "she sold it" not in str(memory.why(now.id).history[-1])


def test_why_a_message_is_withdrawn_is_kept_with_it():
    with recollect.memory(":memory:", actor="agent") as memory:
        (said,) = memory.remember(messages=[{"content": "The roof leaks"}]).episodes
        memory.forget(id=said, reason="it was mended")
        assert "it was mended" in str(memory.why(said).history)


@pytest.mark.parametrize("dry_run", [True, False, None])
def test_a_dry_run_is_refused_as_the_run_is(dry_run: bool | None):
    said = [{"kind": "user_statement", "detail": "my dog"}]
    fact = {"subject": "Ida", "predicate": "plays", "object": "theorbo", "valid_at": "2020"}
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember("Ida has a dog called Pizzicato", evidence=said, facts=[fact])
        for what, at in (("Pizzicato", "2026"), ("theorbo", "2019")):
            with pytest.raises(RecollectError, match="INVALID_ARGUMENT"):
                memory.forget(what, effect="end", at=at, dry_run=dry_run)
        assert not memory.forget("theorbo", effect="end", at="2026").memories[0].standing
        assert not memory.list("fact").memories[0].standing


def test_a_question_tells_what_is_past_and_how_it_is_forgotten():
    lind = {"subject": "Oskar Lind", "predicate": "conducts", "object": "the choir"}
    with recollect.memory(":memory:", actor="agent") as memory:
        (fact,) = memory.remember(facts=[{**lind, "invalid_at": "2021"}]).facts
        memory.remember(messages=[{"content": "I saw Oskar Lind"}])
        for effect in ("withdraw", "erase"):
            for what in ("Oskar Lind", "Oskar Lind conducts"):
                (told,) = memory.forget(what, effect=effect).warnings
                assert str(fact) in told.message
                assert told.hint == f'forget with {{"id": "{fact.id}", "effect": "{effect}"}}'
        memory.forget(id=fact.id, effect="erase")
        assert memory.forget("Oskar Lind", effect="erase").warnings == ()


def test_the_facts_that_go_with_a_thing_are_named():
    facts = [{"subject": "Ida", "predicate": "likes", "object": f"fig {at}"} for at in range(12)]
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember(facts=facts)
        ida = next(one for one in memory.list("concept").memories if one.name == "Ida")
        for dry_run in (True, False):
            (told,) = memory.forget(id=ida.id, dry_run=dry_run).warnings
            assert "Ida likes fig 0; Ida likes fig 1" in told.message
            assert told.message.endswith("; and 2 more")
        assert len(memory.list("fact").memories) == 0


def test_only_what_was_forgotten_says_how_it_comes_back() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        golf = {"subject": "Ida", "predicate": "plays", "object": "golf"}
        (told,) = memory.remember(facts=[golf]).facts
        evidence = [{"kind": "user_statement", "detail": "she says"}]
        claim = memory.remember("Ida sings in a choir", evidence=evidence).claim
        assert claim is not None
        for effect in ("withdraw", "erase"):
            nothing = memory.forget("helicopter licence", effect=effect, dry_run=False)
            assert (nothing.memories, nothing.undo) == ((), "")
        assert memory.forget(id=told.id).undo == "undo it by its id"
        of_claim = memory.forget(id=claim.id).undo
        assert of_claim == "undo it by its id; a claim counts as verified then"


def test_a_question_by_a_first_name_that_is_a_thing_says_whom_it_may_mean() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        speaks = {"subject": "Yuki Tanabe", "predicate": "speaks", "object": "Japanese"}
        drives = {"subject": "Yuki", "predicate": "drives", "object": "a Vespa"}
        memory.remember(facts=[speaks])
        (proposed,) = memory.remember(facts=[drives]).warnings
        for question in ("Which language does Yuki speak?", "Yuki speaks Japanese"):
            shown = memory.forget(question)
            (told,) = shown.warnings
            assert (told.code, told.hint) == ("first_name", proposed.hint)
            assert told.message.startswith('"Yuki" may be "Yuki Tanabe"')
        memory.correct(**json.loads(proposed.hint.removeprefix("correct with ")))
        done = memory.forget("Yuki speaks Japanese", dry_run=False)
        assert ([str(one.object) for one in done.memories], done.warnings) == (["Japanese"], ())
