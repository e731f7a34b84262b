"""Values fall with the time since they were observed, once a cycle, however often it runs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.faces.kip.maintenance.conftest import DAY, Clock, contents, twin

import recollect
from recollect.errors import RecollectError
from recollect.faces.kip.maintenance import decay
from recollect.kernel import Nexus
from recollect.model import Key, PutConcept, PutLink

MONTH = 30 * DAY


def put(nexus: Nexus, name: str = "x", type: str = "Insight", **metadata: object) -> None:
    nexus.write([PutConcept(type, name, {}, metadata)])


def held(nexus: Nexus, key: str = "confidence", name: str = "x") -> object:
    text = f"FIND(?x.metadata.{key}) WHERE {{ ?x {{name: $name}} }}"
    ((value,),) = nexus.read(text, {"name": name}).results[0].rows
    return value


def test_a_half_life_halves(nexus: Nexus):
    put(nexus, confidence=0.8, observed_at="2025-12-02")
    (faded,) = decay(nexus, half_life=MONTH).faded
    assert (faded.key, faded.before, faded.after, faded.factor) == ("confidence", 0.8, 0.4, 0.5)
    assert held(nexus) == 0.4
    assert held(nexus, "decay_applied_at") == "2026-01-01T00:00:00.000Z"


def test_strength_falls_instead_of_confidence_where_there_is_one(nexus: Nexus):
    put(nexus, confidence=0.8, memory_strength=0.6, observed_at="2025-12-02")
    (faded,) = decay(nexus, half_life=MONTH).faded
    assert (faded.key, faded.after) == ("memory_strength", 0.3)
    assert held(nexus) == 0.8


def test_nothing_falls_below_the_floor_or_rises_to_it(nexus: Nexus):
    put(nexus, "x", confidence=0.3, observed_at="2020")
    put(nexus, "y", confidence=0.15, observed_at="2020")
    assert [one.after for one in decay(nexus, floor=0.2).faded] == [0.2]
    assert held(nexus, name="y") == 0.15
    assert decay(nexus, floor=0.2, cycle=timedelta(0)).faded == ()


def test_axioms_structure_and_what_is_spared_stay(nexus: Nexus, clock: Clock):
    nexus.write(
        """UPSERT {
          CONCEPT @type { {type: "$ConceptType", name: "Drug"} }
          CONCEPT @domain { {type: "Domain", name: "Medicine"} }
          CONCEPT @axiom { {type: "Drug", name: "axiom"} } WITH METADATA { confidence: 1.0 }
          CONCEPT @spared { {type: "Law", name: "spared"} }
          CONCEPT @text { {type: "Drug", name: "text"} } WITH METADATA { confidence: "high" }
          CONCEPT @truth { {type: "Drug", name: "truth"} } WITH METADATA { confidence: true }
          CONCEPT @none { {type: "Drug", name: "none"} } WITH METADATA { confidence: null }
          CONCEPT @fades { {type: "Drug", name: "fades"} SET PROPOSITIONS { ("belongs_to_domain", @domain) } }
        } WITH METADATA { confidence: 0.9 }"""
    )
    clock.move(MONTH)
    assert [str(one.target) for one in decay(nexus, spare=["Law"]).faded] == ['Drug "fades"']


def test_links_fade_and_the_log_says_for_whom(nexus: Nexus):
    put(nexus, "a")
    nexus.write(
        [
            PutLink(
                Key("Insight", "a"),
                "prefers",
                Key("Insight", "a"),
                {"last_observed": "2025-12-02"},
                {"confidence": 0.5},
            )
        ]
    )
    done = decay(nexus, half_life=MONTH, actor="night", request_id="r")
    assert [(str(one.target), one.after) for one in done.faded] == [
        ('Insight "a" ─prefers→ Insight "a"', 0.25)
    ]
    logged = nexus.changes()[-1].transaction
    assert (logged.number, logged.actor, logged.request_id) == (done.done.transaction, "night", "r")


def test_what_was_observed_again_starts_anew(nexus: Nexus, clock: Clock):
    put(nexus, confidence=0.8, observed_at="2025-06-01")
    decay(nexus, half_life=MONTH)
    clock.move(MONTH)
    put(nexus, confidence=0.8, observed_at="2026-01-30T12:00:00Z")
    assert decay(nexus, half_life=MONTH).faded == ()


def test_running_daily_takes_what_running_once_takes(nexus: Nexus, clock: Clock):
    put(nexus, "daily", confidence=0.8)
    put(nexus, "once", type="Other", confidence=0.8)
    for _ in range(30):
        clock.move(DAY)
        assert len(decay(nexus, half_life=MONTH, spare=["Other"]).faded) == 1
    decay(nexus, half_life=MONTH)
    assert held(nexus, name="once") == 0.4
    assert held(nexus, name="daily") == pytest.approx(0.4, abs=1e-4)


def test_a_second_run_in_the_cycle_changes_nothing(nexus: Nexus, clock: Clock):
    put(nexus, confidence=0.8, observed_at="2020")
    put(nexus, "y", confidence=0.8, observed_at="2025-12-31T12:00:00Z")
    assert len(decay(nexus).faded) == 1
    clock.move(timedelta(hours=11))
    before = contents(nexus)
    assert decay(nexus).done.transaction is None
    assert contents(nexus) == before


def test_a_limit_leaves_the_rest_for_the_next_run(nexus: Nexus):
    for number in range(5):
        put(nexus, f"e{number}", confidence=0.8, observed_at="2020")
    runs = [decay(nexus, limit=2) for _ in range(3)]
    assert [(len(one.faded), one.left) for one in runs] == [(2, 3), (2, 1), (1, 0)]


@pytest.mark.parametrize(
    "rule", [{"half_life": timedelta(0)}, {"floor": 1.0}, {"floor": -0.1}, {"cycle": -DAY}]
)
def test_a_rule_that_means_nothing_is_refused(nexus: Nexus, rule: dict):
    with pytest.raises(RecollectError, match="INVALID_ARGUMENT"):
        decay(nexus, **rule)


WEIGHTS = st.one_of(st.floats(0, 1.2), st.sampled_from([0, 1, 1.0, None, "high", True]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    weights=st.lists(st.tuples(WEIGHTS, WEIGHTS, st.integers(-10, 4000)), min_size=1, max_size=8),
    half_life=st.floats(0.01, 5_000),
    floor=st.floats(0, 0.9),
)
def test_a_dry_run_is_the_run_and_its_text_gives_the_same(
    clock: Clock, weights: list, half_life: float, floor: float
):
    rule = {"half_life": half_life * DAY, "floor": floor}
    with recollect.open(":memory:", clock=clock) as nexus:
        for number, (confidence, strength, days) in enumerate(weights):
            observed = (clock.at - days * DAY).isoformat()
            metadata = {
                "confidence": confidence,
                "memory_strength": strength,
                "observed_at": observed,
            }
            put(nexus, f"c{number}", **metadata)
            ends = Key("Insight", f"c{number}"), "knows", Key("Insight", "c0")
            nexus.write([PutLink(*ends, {}, metadata)])
        before = contents(nexus)
        told = decay(nexus, **rule, dry_run=True)
        assert contents(nexus) == before
        with twin(nexus, clock) as other:
            done = decay(nexus, **rule)
            assert (told.faded, told.done.changes) == (done.faded, done.done.changes)
            if told.done.kip:
                other.write(told.done.kip)
                other.write(told.done.kip)  # again: nothing is as it was read
            assert contents(other) == contents(nexus)
        after = contents(nexus)
        for one in done.faded:
            assert after[one.target.id].metadata[one.key] == one.after < one.before
        assert {one.target.id for one in done.faded} == {
            key for key in before if before[key] != after[key]
        }
        assert decay(nexus, **rule).faded == ()
