"""Searching by words and meaning: fused by reciprocal ranks, each leg by itself where the other is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.faces.operations.calls import Service, added_facts, found, told
from tests.faces.operations.pipeline.rig import rig, says
from tests.meanings import Meanings

import recollect
from recollect.faces.operations import Observation, Operations
from recollect.faces.operations.pipeline import Extraction, StructuredExtractor, Work
from recollect.kernel import Nexus

FIRST, SECOND = 1 / 61, 1 / 62


class Unprepared:
    """An embedding that leaves all of it to the write, as after a crash."""

    def is_needed(self, nexus: Nexus) -> bool:
        del nexus
        return False

    def prepare(self, nexus: Nexus, extractions: Sequence[Extraction]) -> None:
        del nexus, extractions


@pytest.fixture
def embedder() -> Meanings:
    return Meanings()


@pytest.fixture
def nexus(embedder: Meanings) -> Iterator[Nexus]:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        yield nexus


@pytest.fixture
def service(nexus: Nexus, reached: Callable[[Operations], Service]) -> Service:
    """A service whose group `g` stands beside a decoy that says the same, and more."""
    service = Operations(nexus)
    for group in ("decoy", "g"):
        for uuid, name, summary in (
            ("ann", "Ann", "a physician"),
            ("bob", "Bob", ""),
            ("acme", "Acme", ""),
        ):
            told(service.add_entity_node(group_id=group, uuid=uuid, name=name, summary=summary))
        added_facts(
            service,
            group,
            {"uuid": "f1", "name": "AT", "fact": "Ann works at Acme", "from": "ann", "to": "acme"},
            {"uuid": "f2", "name": "KNOWS", "fact": "Bob knows Ann", "from": "bob", "to": "ann"},
        )
    added_facts(
        service, "decoy",
        {"uuid": "f3", "name": "AT", "fact": "employed", "from": "bob", "to": "acme"},
    )  # fmt: skip
    return reached(service)


def scores(service: Service, query: str, **more: object) -> dict[str, float]:
    """The specified scores of the facts of a question; those near a centre have no other."""
    envelope = service.search_facts(group_ids=["g"], query=query, **more)  # type: ignore[arg-type]
    key = "score" if "center_node_uuid" in more else "rrf"
    return {fact["uuid"]: fact[key] for fact in told(envelope)["facts"]}  # type: ignore[literal-required]


def test_a_fact_with_none_of_the_words_is_found_by_its_meaning(service: Service) -> None:
    assert scores(service, "employed")["f1"] == FIRST  # the only leg that finds it


def test_a_fact_that_both_legs_put_first_scores_two_first_ranks(service: Service) -> None:
    found = scores(service, "Ann works at Acme")
    assert found == {"f1": 2 * FIRST, "f2": 2 * SECOND}


def test_a_fact_without_a_vector_is_found_by_its_words(
    service: Service, embedder: Meanings
) -> None:
    embedder.is_away = True
    added_facts(
        service, "g",
        {"uuid": "f4", "name": "SAYS", "fact": "Bob says zebra", "from": "bob", "to": "ann"},
    )  # fmt: skip
    embedder.is_away = False
    assert scores(service, "zebra")["f4"] == FIRST


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("reached", ["local"], indirect=True)
def test_with_the_embedder_away_words_alone_answer_and_it_is_counted(
    nexus: Nexus, embedder: Meanings
) -> None:
    seen: list[Observation] = []
    service = Operations(nexus, observer=seen.append)
    assert scores(service, "Acme")
    embedder.is_away = True
    assert scores(service, "works") == {"f1": FIRST}
    assert scores(service, "employed") == {}
    service.search_nodes(group_ids=["g", "decoy"], query="doctor")
    service.add_entity_node(group_id="g", uuid="zoe", name="Zoe")
    fact = {"uuid": "f5", "name": "IS", "fact": "Zoe is here", "from": "zoe", "to": "ann"}
    added_facts(service, "g", fact)
    assert [one.embedding_failures for one in seen] == [0, 1, 1, 2, 1, 1]
    assert {one.status for one in seen} == {"OK"}


def test_the_most_a_score_can_be_is_that_of_the_legs_there_are(
    service: Service, embedder: Meanings
) -> None:
    near = scores(service, "Ann works at Acme", center_node_uuid="acme")
    assert near["f1"] == pytest.approx(1.0)
    embedder.is_away = True
    assert scores(service, "works Acme", center_node_uuid="acme")["f1"] == pytest.approx(1.0)


def test_the_same_question_has_the_same_answer_and_ties_are_by_uuid(service: Service) -> None:
    for name in ("d", "b", "c", "a"):
        added_facts(
            service, "g",
            {"uuid": name, "name": f"R_{name}", "fact": "the moon shines", "from": "bob", "to": "ann"},
        )  # fmt: skip
    answers = [found(service, "the moon shines") for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][:4] == ["a", "b", "c", "d"]


def test_only_what_is_true_now_takes_a_rank(service: Service) -> None:
    added_facts(
        service, "g",
        {
            "uuid": "old", "name": "WAS_AT", "fact": "Ann works", "from": "ann", "to": "acme",
            "valid_at": "2019-01-01T00:00:00Z", "invalid_at": "2020-01-01T00:00:00Z",
        },
    )  # fmt: skip
    assert scores(service, "employed")["f1"] == FIRST
    past = scores(service, "employed", valid_as_of="2019-06-01T00:00:00Z")
    assert (past["old"], past["f1"]) == (FIRST, SECOND)


def test_nodes_are_found_by_the_meaning_of_name_and_summary(service: Service) -> None:
    nodes = told(service.search_nodes(group_ids=["g"], query="doctor"))["nodes"]
    assert nodes[0]["uuid"] == "ann"


def test_a_node_of_any_free_kind_is_found_by_meaning(nexus: Nexus, service: Service) -> None:
    put = 'UPSERT { CONCEPT { {type: "Person", name: "Zoe"} SET ATTRIBUTES { summary: "a physician" } } }'
    for group in ("decoy", "g"):
        nexus.group(group).write(put)
    (first, *others) = told(service.search_nodes(group_ids=["g"], query="doctor"))["nodes"]
    assert {first["name"], others[0]["name"]} == {"Ann", "Zoe"}


def test_several_groups_are_ranked_each_in_itself(service: Service, embedder: Meanings) -> None:
    envelope = service.search_facts(group_ids=["g", "decoy"], query="employed", max_facts=2)
    facts = told(envelope)["facts"]
    assert [(one["group_id"], one["uuid"], one["rrf"]) for one in facts] == [
        ("decoy", "f3", 2 * FIRST), ("g", "f1", FIRST)
    ]  # fmt: skip
    assert embedder.asked.count("employed") == 1


def test_another_model_is_told_before_anything_is_ranked(nexus: Nexus, service: Service) -> None:
    assert scores(service, "employed")
    nexus._group.catalogs.meanings.embedder.name = "other"  # type: ignore[union-attr]
    envelope = service.search_facts(group_ids=["g"], query="employed")
    assert envelope["error"]["error_code"] == "CONFLICT"
    assert "recollect reindex" in str(envelope["error"]["details"])


def test_what_is_deleted_leaves_no_vector(service: Service, nexus: Nexus) -> None:
    service.delete_entity_edge(uuid="f1", group_id="g")
    assert "f1" not in scores(service, "employed")
    service.delete_group(group_id="g")
    assert nexus.doctor().findings == ()


class Faulty(Meanings):
    """An embedder with a fault of its own, which begins after what came in is embedded."""

    is_well = True

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.is_well:
            return super().embed(texts)
        raise KeyError("weights")


@pytest.mark.parametrize("embedding", [None, Unprepared()], ids=["in advance", "while writing"])
def test_whatever_an_embedder_raises_is_a_failure_of_its_step(embedding: Unprepared | None) -> None:
    faulty = Faulty()
    with recollect.open(":memory:", embedder=faulty) as nexus:
        one = rig(nexus, embedding=embedding)
        one.add("g", says("e1"))
        faulty.is_well = False
        one.drain()
        item = nexus.group("g").queue.find("e1")
        assert item is not None
        assert item.state == ("embed_failed" if embedding is None else "upsert_failed")
        assert item.payload["error"] == "KeyError: 'weights'"


def test_an_episode_is_embedded_before_it_is_written(nexus: Nexus, embedder: Meanings) -> None:
    service = Operations(nexus, worker=False)
    body = """{"nodes": [{"tmp_ref": "a", "name": "Zoe", "summary": "a medic"},
                         {"tmp_ref": "b", "name": "Globex"}],
               "edges": [{"name": "AT", "fact": "Zoe has a job at Globex",
                          "source_ref": "a", "target_ref": "b"}]}"""
    episode = {
        "uuid": "e1",
        "source": "json",
        "body": body,
        "reference_time": "2026-01-01T00:00:00Z",
    }
    told(service.add_episodes(group_id="g", items=[episode]))  # type: ignore[list-item]
    work = Work(StructuredExtractor())
    embedder.is_away = True
    work.drain(nexus)
    assert [one.state for one in nexus.group("g").queue.in_state("embed_failed")] == [
        "embed_failed"
    ]
    embedder.is_away = False
    (item,) = nexus.group("g").queue.in_state("embed_failed")
    later = Work(StructuredExtractor(), clock=lambda: item.due_at)
    later.drain(nexus)
    told_of = ["Zoe\na medic", "Globex", "Zoe has a job at Globex"]
    assert embedder.embedded == [body, *told_of]
    assert list(scores(service, "employed")) != []
    assert found(service, "works") != []
