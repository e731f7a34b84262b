"""What a new fact does to those it contradicts: section 6, case by case."""

from __future__ import annotations

from typing import Any

import pytest
from tests.faces.operations.calls import Service, added_facts, edge, found, told

from recollect.faces.operations import Operations, Policy
from recollect.kernel import Nexus

YEAR = {year: f"{year}-01-01T00:00:00.000Z" for year in range(2015, 2030)}


def work(uuid: str, fact: str, since: int | None = None, **more: Any) -> dict[str, Any]:
    item = {"uuid": uuid, "name": "WORKS_AT", "fact": fact, "from": "bob", "to": "acme"} | more
    return item if since is None else item | {"valid_at": YEAR[since]}


def test_a_newer_fact_expires_the_older_and_ends_it(furnished: Service) -> None:
    added_facts(furnished, "g", work("old", "Bob is an engineer at Acme", 2018))
    (new,) = added_facts(furnished, "g", work("new", "Bob leads Acme", 2021))
    old = edge(furnished, "old")
    assert (old["valid_at"], old["invalid_at"]) == (YEAR[2018], YEAR[2021])
    assert old["expired_at"] == new["created_at"]
    assert (new["valid_at"], new["invalid_at"], new["expired_at"]) == (YEAR[2021], None, None)
    assert found(furnished, "Bob Acme") == ["new", "f2", "f1"]


def test_a_newer_fact_that_begins_in_the_future_expires_the_older_at_once(
    furnished: Service,
) -> None:
    (before,) = added_facts(furnished, "g", work("old", "Bob is an engineer at Acme", 2018))
    later = "2999-01-01T00:00:00.000Z"
    (new,) = added_facts(furnished, "g", work("new", "Bob leads Acme", valid_at=later))
    old = edge(furnished, "old")
    assert (old["invalid_at"], old["expired_at"]) == (later, new["created_at"])
    assert {"old", "new"}.isdisjoint(found(furnished, "Bob engineer leads"))
    assert found(furnished, "Bob leads", valid_as_of=later)[0] == "new"
    assert found(furnished, "engineer", known_as_of=before["created_at"])[0] == "old"


def test_what_was_known_before_stays_readable(furnished: Service) -> None:
    (before,) = added_facts(furnished, "g", work("old", "Bob is an engineer at Acme", 2018))
    added_facts(furnished, "g", work("new", "Bob leads Acme", 2021))
    then = {"known_as_of": before["created_at"]}
    assert edge(furnished, "old", **then) == before
    assert "old" in found(furnished, "engineer", **then)
    assert "new" not in found(furnished, "Bob leads", **then)


def test_a_late_older_fact_ends_where_the_newer_begins_and_expires_nothing(
    furnished: Service,
) -> None:
    added_facts(furnished, "g", work("new", "Bob leads Acme", 2021))
    (late,) = added_facts(furnished, "g", work("late", "Bob is an engineer at Acme", 2018))
    assert (late["invalid_at"], late["expired_at"]) == (YEAR[2021], None)
    assert edge(furnished, "new")["expired_at"] is None
    assert found(furnished, "engineer", valid_as_of=YEAR[2020])[0] == "late"
    assert "late" not in found(furnished, "engineer")


def test_intervals_that_do_not_overlap_do_not_contradict(furnished: Service) -> None:
    first = work("a", "Bob is an intern at Acme", 2016, invalid_at=YEAR[2018])
    added_facts(furnished, "g", first, work("b", "Bob is an engineer at Acme", 2018))
    assert [edge(furnished, one)["expired_at"] for one in "ab"] == [None, None]
    assert found(furnished, "Bob at Acme", valid_as_of=YEAR[2018])[0] == "b"


@pytest.mark.parametrize(
    "other",
    [{"to": "globex"}, {"from": "ann"}, {"name": "OWNS"}, {"qualifiers": {"role": "owner"}}],
)
def test_another_conflict_key_does_not_contradict(
    furnished: Service, other: dict[str, Any]
) -> None:
    added_facts(furnished, "g", work("a", "one", 2018))
    added_facts(furnished, "g", work("b", "two", 2021) | other)
    assert edge(furnished, "a")["expired_at"] is None


def test_relations_and_qualifiers_are_compared_normalised(furnished: Service) -> None:
    added_facts(furnished, "g", work("a", "one", 2018, qualifiers={"Role": "Owner", "n": 1}))
    added_facts(
        furnished,
        "g",
        work("b", "two", 2021, name="works_at", qualifiers={"n": 1, "role": " owner "}),
    )
    assert edge(furnished, "a")["expired_at"] is not None
    assert edge(furnished, "b")["name"] == "works_at"


def test_an_identical_text_adds_lineage_and_no_row(furnished: Service) -> None:
    for uuid, day in (("e1", 1), ("e2", 2)):
        item = {
            "uuid": uuid,
            "source": "text",
            "body": "b",
            "reference_time": f"2021-01-0{day}T00:00:00Z",
        }
        told(furnished.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
    (first,) = added_facts(furnished, "g", work("a", "Bob leads Acme", source_episode_uuid="e1"))
    (again,) = added_facts(furnished, "g", work("b", "  bob LEADS acme", source_episode_uuid="e2"))
    assert again == first | {"source_episode_uuids": ["e1", "e2"]}
    assert again["source_episode_uuid"] == "e1"
    assert furnished.get_entity_edge(uuid="b", group_id="g")["status"] == "ERROR"


def test_a_then_b_then_a_again_is_three_facts(furnished: Service) -> None:
    texts = [("1", "Bob leads Acme"), ("2", "Bob left Acme"), ("3", "Bob leads Acme")]
    for uuid, text in texts:
        added_facts(furnished, "g", work(uuid, text))
    facts = [edge(furnished, uuid) for uuid, _ in texts]
    assert [one["uuid"] for one in facts if one["expired_at"] is None] == ["3"]
    assert [one["invalid_at"] for one in facts] == [
        facts[1]["created_at"],
        facts[2]["created_at"],
        None,
    ]


def test_without_valid_at_the_time_of_the_episode_decides(furnished: Service) -> None:
    for uuid, year in (("late", 2022), ("early", 2020)):
        item = {"uuid": uuid, "source": "text", "body": "b", "reference_time": YEAR[year]}
        told(furnished.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
    added_facts(furnished, "g", work("new", "Bob leads Acme", source_episode_uuid="late"))
    (old,) = added_facts(furnished, "g", work("old", "Bob joins Acme", source_episode_uuid="early"))
    assert (old["valid_at"], old["invalid_at"], old["expired_at"]) == (None, YEAR[2022], None)
    assert edge(furnished, "new")["expired_at"] is None


def test_facts_told_together_end_each_other_and_none_expires(furnished: Service) -> None:
    facts = added_facts(
        furnished,
        "g",
        work("b", "Bob leads Acme", 2021),
        work("a", "Bob joins Acme", 2018),
        work("c", "Bob left Acme", 2023),
    )
    assert [(one["invalid_at"], one["expired_at"]) for one in facts] == [
        (YEAR[2023], None),
        (YEAR[2021], None),
        (None, None),
    ]


def test_facts_without_any_time_told_together_are_decided_by_uuid(furnished: Service) -> None:
    both = [work("z", "one"), work("y", "two")]
    added_facts(furnished, "g", *both)
    added_facts(
        furnished, "g", *[one | {"to": "globex", "uuid": f"2{one['uuid']}"} for one in both[::-1]]
    )
    assert [edge(furnished, one)["invalid_at"] is None for one in ("y", "z", "2y", "2z")] == [
        True,
        False,
        True,
        False,
    ]


def test_a_future_end_is_visible_until_then(furnished: Service) -> None:
    added_facts(
        furnished, "g", work("a", "Bob works at Acme", 2018, invalid_at="2999-01-01T00:00:00Z")
    )
    added_facts(
        furnished,
        "g",
        work("b", "Bob rests at Acme", invalid_at="2019-01-01T00:00:00Z", name="RESTS"),
    )
    assert "a" in found(furnished, "Bob at Acme")
    assert "b" not in found(furnished, "Bob at Acme")
    assert "a" not in found(furnished, "Bob at Acme", valid_as_of="2999-01-01T00:00:00Z")


def test_an_interval_that_is_never_true_is_refused(furnished: Service) -> None:
    given = {"name": "R", "fact": "f", "source_node_uuid": "ann", "target_node_uuid": "acme"}
    for end in (2018, 2017):
        answer = furnished.add_fact(
            group_id="g", valid_at=YEAR[2018], invalid_at=YEAR[end], **given
        )  # type: ignore[arg-type]
        assert answer["error"]["error_code"] == "INVALID_ARGUMENT"


def declared(nexus: Nexus, name: str) -> Operations:
    nexus.group("g").write(
        'UPSERT { CONCEPT { {type: "$PropositionType", name: $name} SET ATTRIBUTES { functional: true } } }',
        {"name": name},
    )
    return Operations(nexus)


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize("is_declared", [True, False])
def test_a_functional_relation_has_one_target_at_a_time(nexus: Nexus, is_declared: bool) -> None:
    configured = Operations(nexus, policy=Policy(functional=frozenset({"works_at"})))
    service = declared(nexus, "WORKS_AT") if is_declared else configured
    added_facts(service, "g", work("a", "Bob works at Acme", 2018))
    added_facts(service, "g", work("b", "Bob works at Globex", 2022, to="globex"))
    old = edge(service, "a")
    assert (old["invalid_at"], old["expired_at"]) == (YEAR[2022], None)
    assert found(service, "Bob works", valid_as_of=YEAR[2021])[0] == "a"
    assert found(service, "Bob works")[0] == "b"
    added_facts(service, "g", work("c", "Bob works at Acme", 2024))
    assert [edge(service, one)["invalid_at"] for one in "abc"] == [YEAR[2022], YEAR[2024], None]


@pytest.mark.usefixtures("furnished")
def test_the_old_target_of_a_functional_relation_stays_until_the_new_one_begins(
    nexus: Nexus,
) -> None:
    service = Operations(nexus, policy=Policy(functional=frozenset({"WORKS_AT"})))
    later = "2999-01-01T00:00:00.000Z"
    added_facts(service, "g", work("a", "Bob works at Acme", 2018))
    added_facts(service, "g", work("b", "Bob works at Globex", to="globex", valid_at=later))
    assert (edge(service, "a")["invalid_at"], edge(service, "a")["expired_at"]) == (later, None)
    assert found(service, "Bob works")[0] == "a"
    assert found(service, "Bob works", valid_as_of=later)[0] == "b"


@pytest.mark.usefixtures("furnished")
def test_a_functional_relation_without_times_ends_the_old_one_now(nexus: Nexus) -> None:
    service = Operations(nexus, policy=Policy(functional=frozenset({"WORKS_AT"})))
    added_facts(service, "g", work("a", "Bob works at Acme"))
    (new,) = added_facts(service, "g", work("b", "Bob works at Globex", to="globex"))
    assert edge(service, "a")["invalid_at"] == new["created_at"]
    (again,) = added_facts(service, "g", work("c", "Bob works at Acme"))
    assert again["uuid"] == "c"
    assert found(service, "Bob works")[0] == "c"


def test_the_log_and_the_rows_agree_after_all_of_it(nexus: Nexus, furnished: Service) -> None:
    added_facts(furnished, "g", work("a", "one", 2018), work("b", "two", 2019))
    added_facts(furnished, "g", work("c", "three", 2020))
    added_facts(furnished, "g", work("d", "four", 2019))
    assert nexus.group("g").verify().is_whole
    assert nexus.doctor().is_well


@pytest.mark.parametrize("spelling", ["lives_in", "Lives_In"])
def test_a_relation_declared_functional_is_so_in_every_spelling(
    nexus: Nexus, spelling: str
) -> None:
    service = Operations(nexus)
    for uuid in ("bob", "rome", "oslo"):
        told(service.add_entity_node(group_id="g", uuid=uuid, name=uuid))
    nexus.group("g").write("""
        UPSERT { CONCEPT { {type: "$PropositionType", name: "LIVES_IN"}
          SET ATTRIBUTES { functional: true } } }
    """)
    home = {"name": spelling, "from": "bob", "fact": "Bob lives there"}
    added_facts(service, "g", {**home, "uuid": "old", "to": "rome", "valid_at": YEAR[2018]})
    added_facts(service, "g", {**home, "uuid": "new", "to": "oslo", "valid_at": YEAR[2021]})
    old = edge(service, "old")
    assert (old["invalid_at"], old["expired_at"]) == (YEAR[2021], None)


def test_long_qualifiers_tell_facts_apart_as_short_ones_do(furnished: Service) -> None:
    long = {"note": "x" * 15_000}
    added_facts(furnished, "g", work("a", "Bob leads", 2018, qualifiers=long))
    added_facts(furnished, "g", work("b", "Bob rests", 2019, qualifiers={"note": "y" * 15_000}))
    assert [edge(furnished, one)["expired_at"] for one in "ab"] == [None, None]
    added_facts(furnished, "g", work("c", "Bob works", 2020, qualifiers=long))
    assert [edge(furnished, one)["expired_at"] is None for one in "abc"] == [False, True, True]
    assert edge(furnished, "c")["qualifiers"] == long
