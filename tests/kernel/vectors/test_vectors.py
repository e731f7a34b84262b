"""What elements mean is kept as vectors: in the same transaction, once, and only while it is true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.meanings import Meanings

import behind
import recollect
from behind import BYTES
from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.kernel.vectors.meanings import Meanings as Held
from recollect.model import (
    AsOf,
    Decision,
    Delete,
    ElementKind,
    Key,
    Present,
    PutConcept,
    PutFact,
    PutLink,
    RemoveKeys,
)

LINK, CONCEPT = ElementKind.LINK, ElementKind.CONCEPT
NEAR = 0.25  # texts without a common word are not so near
PEOPLE = [
    PutConcept("Entity", "Ann", {"summary": "a doctor"}, id="ann"),
    PutConcept("Entity", "Bob", id="bob"),
    PutConcept("Entity", "Acme", id="acme"),
]
WORKS = PutFact("ann", "WORKS_AT", "acme", "Ann works at Acme", id="works")
SAYS = PutFact("ann", "SAYS", "acme", "Ann says hello", id="says")
KNOWS = PutFact("bob", "KNOWS", "ann", "Bob knows Ann", id="knows")


@pytest.fixture
def embedder() -> Meanings:
    return Meanings()


@pytest.fixture
def nexus(embedder: Meanings) -> Iterator[Nexus]:
    """A memory with an embedder, beside a decoy group that says the same under the same ids."""
    with recollect.open(":memory:", embedder=embedder) as nexus:
        decoy = nexus.group("decoy")
        decoy.write([*PEOPLE, WORKS, KNOWS])
        decoy.write([PutFact("bob", "WORKS_AT", "acme", "Bob works at Acme", id="decoy")])
        yield nexus


def near(nexus: Nexus, text: str, kind: ElementKind = LINK, **more: object) -> list[str]:
    nearest = nexus.vectors.nearest(text, kind, **more)  # type: ignore[arg-type]
    return [one.id for one in nearest if one.score > NEAR]


def found(nexus: Nexus) -> set[str]:
    """All that has a vector and is there."""
    words = ("ann", "bob", "acme")
    return {one for word in words for kind in ElementKind for one in near(nexus, word, kind)}


def test_what_is_written_is_near_what_it_means(nexus: Nexus) -> None:
    nexus.write([*PEOPLE, WORKS, KNOWS])
    assert near(nexus, "employed at")[0] == "works"
    assert near(nexus, "physician", CONCEPT)[0] == "ann"
    (first, *_) = nexus.vectors.nearest("ann works at acme", LINK)
    assert first.id == "works"
    assert first.score == pytest.approx(1.0)


def test_nothing_is_said_twice_to_the_embedder(nexus: Nexus, embedder: Meanings) -> None:
    nexus.write([*PEOPLE, WORKS])
    assert sorted(embedder.embedded) == sorted([
        "Ann\na doctor", "Bob", "Acme", "Ann works at Acme", "Bob knows Ann", "Bob works at Acme",
    ])  # fmt: skip
    nexus.write([*PEOPLE, WORKS])
    nexus.write('UPSERT { CONCEPT @a { {type: "Entity", name: "Ann"} SET ATTRIBUTES { age: 3 } } }')
    nexus.write([PutConcept("Person", "Bob", id="other"), PutFact("bob", "IS", "acme", "acme")])
    nexus.vectors.reindex()
    assert len(embedder.embedded) == 7


def test_a_text_of_another_process_is_embedded_once_for_both(
    tmp_path: Path, embedder: Meanings
) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path, embedder=embedder) as one:
        one.write([*PEOPLE, WORKS])
    count = len(embedder.embedded)
    with recollect.open(path, embedder=embedder) as other:
        other.write(
            [PutConcept("Person", "Bob"), PutFact("bob", "AT", "acme", "Ann works at Acme")]
        )
        assert len(near(other, "ann works")) == 2
    assert len(embedder.embedded) == count


def test_a_changed_text_has_another_vector_and_the_old_one_goes(
    nexus: Nexus, embedder: Meanings
) -> None:
    nexus.write(PEOPLE)
    assert near(nexus, "physician", CONCEPT) == ["ann"]
    nexus.write([PutConcept("Entity", "Ann", {"summary": "a lawyer"})])
    assert embedder.embedded[-1] == "Ann\na lawyer"
    assert near(nexus, "lawyer", CONCEPT)[0] == "ann"
    assert "physician" not in near(nexus, "physician", CONCEPT)
    assert nexus.purge("ann").vectors == 1
    assert nexus.doctor().findings == ()


def test_a_summary_that_is_taken_away_leaves_the_name(nexus: Nexus) -> None:
    nexus.write(PEOPLE)
    nexus.write([RemoveKeys("ann", attributes=("summary",))])
    (first, *_) = nexus.vectors.nearest("ann", CONCEPT)
    assert (first.id, first.score) == ("ann", pytest.approx(1.0))


def test_a_text_of_kip_is_embedded_as_a_batch_is(nexus: Nexus, embedder: Meanings) -> None:
    answer = nexus.write(
        """UPSERT { CONCEPT @h {
            {type: "Symptom", name: "Headache"} SET ATTRIBUTES { description: "pain" } } }"""
    )
    assert embedder.embedded[-1] == "Headache\npain"
    assert answer.notices == ()
    assert len(near(nexus, "cephalalgia", CONCEPT, type="Symptom")) == 1
    assert near(nexus, "cephalalgia", CONCEPT, type="Drug") == []


def test_a_dry_run_and_a_failed_write_ask_nothing_and_keep_nothing(
    nexus: Nexus, embedder: Meanings
) -> None:
    nexus.write(PEOPLE)
    count = len(embedder.embedded)
    nexus.write([WORKS, KNOWS], dry_run=True)
    assert len(embedder.embedded) == count
    with pytest.raises(RecollectError):
        nexus.write([KNOWS, Delete("nobody")])
    assert near(nexus, "bob knows ann") == []


def test_links_without_words_and_ids_are_not_embedded_and_episodes_are(
    nexus: Nexus, embedder: Meanings
) -> None:
    nexus.write(PEOPLE)
    count = len(embedder.embedded)
    nexus.write([PutLink("ann", "likes", "bob"), PutConcept("Episode", "e1", {"body": "hello"})])
    assert embedder.embedded[count:] == ["hello"]


def test_only_what_is_there_and_true_is_ranked(nexus: Nexus) -> None:
    past = {"valid_from": "2020-01-01", "valid_until": "2021-01-01"}
    nexus.write([*PEOPLE, WORKS, KNOWS])
    nexus.write([PutFact("ann", "AT", "acme", "Ann works", metadata=past, id="past")])
    assert near(nexus, "ann works", limit=1) == ["past"]
    now = AsOf(valid=nexus.now())
    assert near(nexus, "ann works", limit=1, as_of=now) == ["works"]
    nexus.write([Delete("works")])
    assert near(nexus, "works", as_of=now) == []
    assert near(nexus, "ann", limit=1, as_of=now) == ["knows"]


def test_the_past_is_compared_where_its_words_still_stand(nexus: Nexus) -> None:
    nexus.write([*PEOPLE, WORKS, KNOWS])
    (before,) = nexus.changes()[-1:]
    past = AsOf(transaction=before.transaction.number)
    nexus.write([Delete("works")])
    nexus.write([PutConcept("Entity", "Ann", {"summary": "a lawyer"})])
    assert near(nexus, "ann works", as_of=past)[0] == "works"
    assert "works" not in near(nexus, "ann works")
    assert near(nexus, "lawyer", CONCEPT, as_of=past) == []


def test_groups_do_not_see_each_other(nexus: Nexus) -> None:
    assert found(nexus) == set()
    nexus.write([*PEOPLE, WORKS])
    alone = nexus.vectors.nearest("bob works", LINK)
    assert [one.id for one in alone] == ["works"]
    nexus.drop_group("decoy")
    assert nexus.vectors.nearest("bob works", LINK) == alone


def test_ties_are_by_id(nexus: Nexus) -> None:
    nexus.write(PEOPLE)
    names = [f"f{at:02}" for at in range(30)]
    for name in reversed(names):
        nexus.write([PutFact("ann", f"R{name}", "acme", "the same words", id=name)])
    assert near(nexus, "the words", limit=7) == names[:7]
    assert near(nexus, "the words", limit=100) == names


def test_another_model_is_refused_until_all_is_embedded_anew(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path, embedder=Meanings()) as nexus:
        nexus.write([*PEOPLE, WORKS])
    for other in (Meanings("other"), Meanings(dimension=32)):
        with recollect.open(path, embedder=other) as nexus:
            for act in (
                lambda: nexus.write([KNOWS]),
                lambda: nexus.write('UPSERT { CONCEPT @a { {type: "A", name: "new"} } }'),
                lambda: near(nexus, "ann"),
                lambda: nexus.search("ann", mode="hybrid"),
            ):
                with pytest.raises(RecollectError) as caught:
                    act()
                assert caught.value.code.code == "EMBEDDER_CHANGED"
                assert "recollect reindex" in caught.value.hint
            assert nexus.search("ann").results[0].hits  # type: ignore[union-attr]
            assert nexus.stats().concepts == 3
    embedder = Meanings("other", 16)
    with recollect.open(path, embedder=embedder) as nexus:
        assert nexus.vectors.reindex().embedded == 4
        assert near(nexus, "employed at acme") == ["works"]
        nexus.write([KNOWS])
        assert nexus.vectors.reindex().embedded == 0
        assert nexus.doctor().findings == ()


def test_what_was_written_without_an_embedder_is_made_up_for(
    tmp_path: Path, embedder: Meanings
) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as plain:
        plain.write([*PEOPLE, WORKS])
    with recollect.open(path, embedder=embedder) as nexus:
        assert found(nexus) == set()
        assert nexus.vectors.reindex().embedded == 4
        assert found(nexus) == {"ann", "bob", "acme", "works"}
    with recollect.open(path) as plain:
        plain.write([PutConcept("Entity", "Ann", {"summary": "a lawyer"})])
        assert plain.doctor().findings == ()
    with recollect.open(path, embedder=embedder) as nexus:
        assert found(nexus) == {"bob", "acme", "works"}
        assert nexus.vectors.reindex().embedded == 1
        assert near(nexus, "lawyer", CONCEPT) == ["ann"]


def test_the_doctor_knows_what_is_embedded_of_what_calls_write(nexus: Nexus) -> None:
    nexus.write(
        [
            *PEOPLE,
            PutConcept("Claim", "7f0b", {"text": "Acme employed a medic"}, id="claim"),
            PutConcept("Evidence", "91c2", {"kind": "file", "path": "a.py"}, id="evidence"),
            PutConcept("Episode", "e1", {"body": "Bob says hello"}, id="episode"),
        ]
    )
    for fix in (False, True):
        assert nexus.doctor(fix=fix).findings == ()
        assert near(nexus, "works a doctor acme", CONCEPT)[0] == "claim"
    assert nexus.vectors.reindex().embedded == 0


def test_what_another_process_writes_is_found_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with (
        recollect.open(path, embedder=Meanings()) as one,
        recollect.open(path, embedder=Meanings()) as other,
    ):
        one.write([*PEOPLE, WORKS])
        assert near(other, "works") == ["works"]
        one.write([KNOWS])
        assert set(near(other, "bob works")) == {"works", "knows"}
        one.purge("works")
        assert near(other, "works acme bob") == ["knows"]
        one.drop_group("default")
        assert near(other, "bob knows") == []


def test_a_write_is_kept_when_the_embedder_is_away_and_says_so(
    nexus: Nexus, embedder: Meanings
) -> None:
    nexus.write(PEOPLE)
    embedder.is_away = True
    answer = nexus.write([SAYS, PutConcept("Entity", "Globex", id="globex")])
    assert [one.code for one in answer.notices] == ["not_embedded"]
    assert answer.notices[0].message.startswith("2 texts have no vectors")
    embedder.is_away = False
    assert near(nexus, "hello") == []
    assert nexus.elements.look_up(["says", "globex"]).keys() == {"says", "globex"}
    assert nexus.vectors.reindex().embedded == 2
    assert near(nexus, "hello") == ["says"]


def test_a_reindex_goes_on_where_it_was_cut_short(nexus: Nexus, embedder: Meanings) -> None:
    embedder.is_away = True
    nexus.write([*PEOPLE, SAYS])
    with pytest.raises(RecollectError) as caught:
        nexus.vectors.reindex()
    assert caught.value.code.code == "EMBEDDER_UNAVAILABLE"
    embedder.is_away = False
    assert nexus.vectors.reindex().embedded == 1  # the texts of the decoy are still known
    assert found(nexus) == {"ann", "bob", "acme", "says"}


def test_a_block_of_calls_is_embedded_whole_or_not_at_all(nexus: Nexus) -> None:
    with nexus.transaction():
        nexus.write(PEOPLE)
        nexus.write([WORKS])
    assert found(nexus) == {"ann", "bob", "acme", "works"}
    with pytest.raises(ZeroDivisionError), nexus.transaction():
        nexus.write([KNOWS])
        raise ZeroDivisionError
    assert found(nexus) == {"ann", "bob", "acme", "works"}


def test_texts_prepared_in_advance_are_not_embedded_by_the_write(
    nexus: Nexus, embedder: Meanings
) -> None:
    nexus.vectors.prepare(["Ann\na doctor", "Bob", "Acme"])
    count = len(embedder.embedded)
    nexus.write(PEOPLE)
    nexus.vectors.prepare(["Bob", "Acme"])
    assert len(embedder.embedded) == count


def test_a_write_whose_vectors_are_made_runs_once(nexus: Nexus) -> None:
    runs = []

    def decide(present: Present) -> list[PutConcept]:
        runs.append(present.at)
        return PEOPLE

    nexus.vectors.prepare(["Ann\na doctor", "Bob", "Acme"])
    nexus.write(Decision((), decide))
    assert len(runs) == 1
    assert found(nexus) == {"ann", "bob", "acme"}


def test_a_merge_keeps_the_vectors_of_the_links_it_moves(nexus: Nexus, embedder: Meanings) -> None:
    nexus.write([*PEOPLE, WORKS])
    nexus.write([PutConcept("Entity", "Acme Corp", id="corp")])
    count = len(embedder.embedded)
    nexus.write(
        """MERGE CONCEPT ?a INTO ?b
        WHERE { ?a {type: "Entity", name: "Acme"} ?b {type: "Entity", name: "Acme Corp"} }"""
    )
    assert near(nexus, "ann works") == ["works"]
    assert len(embedder.embedded) == count


@BYTES
def test_no_byte_of_an_erased_vector_stays_in_the_file(tmp_path: Path) -> None:
    path, embedder = tmp_path / "memory.db", Meanings()
    with recollect.open(path, embedder=embedder) as nexus:
        nexus.write([*PEOPLE, WORKS, KNOWS])
        nexus.group("other").write([*PEOPLE, WORKS])
        nexus.write([PutConcept("Entity", "Ann", {"summary": "a lawyer"})])
        gone = embedder.documents(["Ann\na lawyer", "Ann\na doctor", "Bob knows Ann"])
        stays = embedder.documents(["Acme"])[0]
        receipt = nexus.purge(Key("Entity", "Ann"))
        assert (receipt.vectors, receipt.concepts, receipt.links) == (3, 1, 2)
        nexus.drop_group("other")
        octets = path.read_bytes()
        assert not any(one in octets or one[:64] in octets for one in gone)
        assert stays in octets
        assert nexus.doctor().findings == ()


def test_a_purge_leaves_the_vector_of_what_others_say_too(nexus: Nexus) -> None:
    nexus.write([*PEOPLE, WORKS])
    nexus.write([PutFact("bob", "SAYS", "acme", "Ann works at Acme", id="said")])
    assert nexus.purge("works").vectors == 1
    assert near(nexus, "ann works") == ["said"]
    assert nexus.doctor().findings == ()


def test_a_group_that_is_dropped_takes_its_vectors_and_its_model(nexus: Nexus) -> None:
    nexus.write([*PEOPLE, WORKS])
    assert nexus.drop_group("default").vectors == 4
    assert found(nexus) == set()


def test_a_dump_leaves_vectors_out_and_a_reindex_makes_them(
    tmp_path: Path, embedder: Meanings
) -> None:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.write([*PEOPLE, WORKS])
        nexus.dump(tmp_path / "d.jsonl")
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.restore(tmp_path / "d.jsonl")
        assert found(nexus) == set()
        nexus.vectors.reindex()
        assert found(nexus) == {"ann", "bob", "acme", "works"}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vector SET hash = 'x' WHERE id = 2",
        "UPDATE vector SET vector = zeroblob(1) WHERE id = 2",
        "DELETE FROM vector WHERE id = 2",
        "DELETE FROM embedded WHERE element = 4",
        "UPDATE embedded SET element = 998 WHERE element = 4",
        "UPDATE concept SET name = 'Rob' WHERE name = 'Bob'",
    ],
)
def test_the_doctor_takes_away_vectors_that_are_wrong(
    tmp_path: Path, embedder: Meanings, damage: str
) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path, embedder=embedder) as nexus:
        nexus.write([*PEOPLE, WORKS])
    behind.changed(path, damage)
    with recollect.open(path, embedder=embedder) as nexus:
        assert "vectors" in {one.check for one in nexus.doctor().findings}
        nexus.doctor(fix=True)
        assert "vectors" not in {one.check for one in nexus.doctor().findings}
        nexus.vectors.reindex()
        assert nexus.drop_group("default").vectors == 4


def test_without_an_embedder_there_is_nothing_to_ask() -> None:
    with recollect.open(":memory:") as nexus:
        assert nexus.vectors.model is None
        for act in (lambda: near(nexus, "a"), nexus.vectors.reindex):
            with pytest.raises(RecollectError) as caught:
                act()
            assert caught.value.code.code == "INVALID_ARGUMENT"


def test_a_mode_that_is_none_is_refused(embedder: Meanings) -> None:
    with pytest.raises(RecollectError, match="search_mode"):
        recollect.open(":memory:", embedder=embedder, search_mode="fuzzy")


def test_groups_beyond_the_bound_of_memory_are_read_again(embedder: Meanings) -> None:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        for at in range(4):
            nexus.group(f"g{at}").write([*PEOPLE, WORKS])
        bounded = Held(embedder, "keyword", most_bytes=3 * 4 * embedder.dimension * 4)
        nexus._group.catalogs.meanings = bounded
        for at in (0, 1, 2, 3, 2, 1, 0):
            assert near(nexus.group(f"g{at}"), "ann works") == ["works"]
        assert sum(one.size for one in bounded._groups.values()) <= 3 * 4 * embedder.dimension * 4


def test_the_answer_is_that_of_a_search_through_every_vector(embedder: Meanings) -> None:
    words = ["ann", "bob", "acme", "works", "knows", "doctor", "lawyer", "at", "of", "in"]
    draws = np.random.default_rng(5)
    texts = [" ".join(draws.choice(words, 4)) + f" {at}" for at in range(200)]
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.write(PEOPLE)
        for start in range(0, 200, 50):
            nexus.write(
                [
                    PutFact("ann", f"R{at}", "acme", texts[at], id=f"f{at:03}")
                    for at in range(start, start + 50)
                ]
            )
            near(nexus, "ann")  # what is in memory grows with the group
        nexus.write([Delete(f"f{at:03}") for at in range(0, 200, 3)])
        asked = np.frombuffer(embedder.question("bob knows a lawyer"), "<f4")
        rows = [np.frombuffer(one, "<f4") for one in embedder.documents(texts)]
        scores = {f"f{at:03}": float(rows[at] @ asked) for at in range(200) if at % 3}
        expected = sorted(scores, key=lambda one: (-scores[one], one))[:20]
        assert near(nexus, "bob knows a lawyer", limit=20) == expected
