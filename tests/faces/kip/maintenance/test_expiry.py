"""What has expired is closed, and nothing else; a dry run says exactly what."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.faces.kip.maintenance.conftest import Clock, contents, twin

import recollect
from recollect.errors import RecollectError
from recollect.faces.kip.maintenance import Expired, expire
from recollect.kernel import Nexus
from recollect.model import Key, Operation, PutConcept, PutLink

TIMES = {  # now is 2026-01-01T00:00:00Z
    "2025-12-31": True,
    "2026": True,
    "2026-01-01T00:00:00.000Z": True,
    "2026-01-01T01:00:00+02:00": True,
    "2025-12-31T23:30:00-02:00": False,
    "2026-01-01T00:00:01Z": False,
    "20251231T000000Z": True,
}


def names(expired: tuple[Expired, ...]) -> list[str]:
    return [str(one.target) for one in expired]


def put(nexus: Nexus, type: str, name: str, expires_at: object, **metadata: object) -> None:
    nexus.write([PutConcept(type, name, {}, {"expires_at": expires_at, **metadata})])


@pytest.mark.parametrize(("time", "has_passed"), TIMES.items())
def test_times_are_compared_as_instants(nexus: Nexus, time: str, has_passed: bool):
    put(nexus, "Event", "talk", time)
    assert names(expire(nexus).expired) == (['Event "talk"'] if has_passed else [])


def test_only_episodic_types_and_named_ones_are_closed(nexus: Nexus):
    nexus.write(
        'UPSERT { CONCEPT { {type: "$ConceptType", name: "Note"} SET ATTRIBUTES { episodic: true } } }'
    )
    for type_ in ("Event", "Note", "Person", "Task"):
        put(nexus, type_, "x", "2020")
    told = expire(nexus, dry_run=True)
    assert names(told.expired) == ['Event "x"', 'Note "x"']
    assert sorted(names(told.suspect)) == ['Person "x"', 'Task "x"']
    done = expire(nexus, ["Task"])
    assert sorted(names(done.expired)) == ['Event "x"', 'Note "x"', 'Task "x"']
    assert names(done.suspect) == ['Person "x"']


def test_a_declaration_keeps_events(nexus: Nexus):
    nexus.write(
        'UPSERT { CONCEPT { {type: "$ConceptType", name: "Event"} SET ATTRIBUTES { episodic: false } } }'
    )
    put(nexus, "Event", "x", "2020")
    assert names(expire(nexus).suspect) == ['Event "x"']


def test_what_hangs_on_it_goes_too_and_the_past_stays(nexus: Nexus):
    nexus.write(
        """UPSERT {
          CONCEPT @a { {type: "Person", name: "Alice"} }
          CONCEPT @e { {type: "Event", name: "talk"} SET PROPOSITIONS { ("mentions", @a) } }
            WITH METADATA { expires_at: "2020" }
          PROPOSITION @l { (@e, "mentions", @a) } WITH METADATA { expires_at: null }
        }"""
    )
    done = expire(nexus, actor="night", request_id="r1").done
    assert [one.operation for one in done.changes] == [Operation.CLOSE] * 2
    logged = nexus.changes()[-1].transaction
    assert (logged.number, logged.actor, logged.request_id) == (done.transaction, "night", "r1")
    question = 'FIND(?e.name) WHERE { ?e {type: "Event"} (?e, "mentions", ?who) }'
    assert nexus.read(question).results[0].rows == []
    before = recollect.AsOf(transaction=logged.number - 1)
    assert nexus.read(question, as_of=before).results[0].rows == [("talk",)]


def test_links_expire_by_themselves(nexus: Nexus):
    nexus.write(
        """UPSERT {
          CONCEPT @b { {type: "Person", name: "Bob"} }
          CONCEPT @a { {type: "Person", name: "Alice \\"A.\\""} SET PROPOSITIONS {
            ("knows", @b) WITH METADATA { expires_at: "2025-06-01" } ("likes", @b) } }
          PROPOSITION @about { ((@a, "knows", @b), "seen_by", @b) } WITH METADATA { expires_at: "2020" }
        }"""
    )
    done = expire(nexus)
    assert sorted(names(done.expired)) == [
        'Person "Alice "A.""' + ' ─knows→ Person "Bob"',
        'a link ─seen_by→ Person "Bob"',
    ]
    assert nexus.read("FIND(?p) WHERE { (?s, ?p, ?o) }").results[0].rows == [("likes",)]


def test_what_cannot_be_read_is_told_and_left(nexus: Nexus):
    put(nexus, "Event", "x", "soon")
    put(nexus, "Event", "y", 1_700_000_000)
    assert names(expire(nexus).unreadable) == ['Event "x"', 'Event "y"']
    assert len(contents(nexus)) == 2


def test_archiving_marks_and_keeps(nexus: Nexus):
    put(nexus, "Event", "x", "2020")
    done = expire(nexus, archive=True)
    assert [one.operation for one in done.done.changes] == [Operation.UPDATE]
    question = 'FIND(?e.metadata.status, ?e.metadata.archived_at) WHERE { ?e {type: "Event"} }'
    assert nexus.read(question).results[0].rows == [("archived", "2026-01-01T00:00:00.000Z")]
    assert expire(nexus, archive=True).expired == ()


def test_a_limit_leaves_the_rest_for_the_next_run(nexus: Nexus):
    for number in range(5):
        put(nexus, "Event", f"e{number}", "2020")
    assert [(len(one.expired), one.left) for one in (expire(nexus, limit=2) for _ in range(3))] == [
        (2, 3), (2, 1), (1, 0),
    ]  # fmt: skip


def test_the_text_does_nothing_to_what_has_changed_since(nexus: Nexus):
    put(nexus, "Event", "x", "2020")
    text = expire(nexus, dry_run=True).done.kip
    put(nexus, "Event", "x", "2027")
    nexus.write(text)
    assert len(contents(nexus)) == 1


def test_what_only_a_call_writes_is_refused(nexus: Nexus):
    put(nexus, "Episode", "x", "2020")
    assert names(expire(nexus).suspect) == ['Episode "x"']
    with pytest.raises(RecollectError, match="KIP_3004"):
        expire(nexus, ["Episode"])


ELEMENTS = st.lists(
    st.tuples(
        st.sampled_from(["Event", "Person", "Note"]),
        st.sampled_from(["a", "b\n", '"c"', "$d", "\u202e"]),
        st.sampled_from([*TIMES, "soon", None]),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(elements=ELEMENTS, archive=st.booleans(), types=st.sampled_from([(), ("Note",)]))
def test_a_dry_run_is_the_run_and_a_second_run_changes_nothing(
    clock: Clock, elements: list, archive: bool, types: tuple[str, ...]
):
    with recollect.open(":memory:", clock=clock) as nexus:
        for type_, name, time, _ in elements:
            put(nexus, type_, name, time)
        for type_, name, _, other in elements:
            end_type, end_name, time, _ = elements[other % len(elements)]
            ends = Key(type_, name), "knows", Key(end_type, end_name)
            nexus.write([PutLink(*ends, {}, {"expires_at": time})])
        before = contents(nexus)
        told = expire(nexus, types, archive=archive, dry_run=True)
        assert contents(nexus) == before
        with twin(nexus, clock) as other_nexus:
            done = expire(nexus, types, archive=archive)
            assert (told.expired, told.suspect, told.done.changes) == (
                done.expired,
                done.suspect,
                done.done.changes,
            )
            if told.done.kip:
                other_nexus.write(told.done.kip)
            assert contents(other_nexus) == contents(nexus)
        after = contents(nexus)
        assert {one.id for one in done.done.changes} == {
            key for key in before if before[key] != after.get(key)
        }
        assert expire(nexus, types, archive=archive).done.changes == ()
